#!/bin/sh
# Put the files of a Space, from the last commit of this checkout, into a new folder.
set -eu
cd "$(dirname "$0")/../.."
mkdir "$1"
git archive HEAD | tar -x -C "$1"
cp deploy/huggingface/README.md deploy/Dockerfile "$1"
