"""The course: its steps as data, one renderer in JavaScript, and what Python measures for it."""
