// Handouts for lecturers: a lesson plan as Markdown, and the whole course as one HTML file.

import { element } from "../_live/dom.js";
import { FIGURES } from "./figures.js";
import { JUDGES, target } from "./guesses.js";

/** @import { Content, Step } from "./course.js" */

/** @param {string} name @param {string} text @param {string} type */
export function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type })),
    link = element("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The right answer to a step's guess, at the step's initial values.
 * @param {Step} step @param {Content} content */
export function solution(step, { measured }) {
  const figure = FIGURES[step.figure],
    values = { angle: 45, ...step.start },
    setting = { hands: step.hands, measured };
  const after = target(step.guess.to, values),
    made = figure.model(values, setting),
    then = figure.model(after, setting);
  const answer = JUDGES[step.guess.judge](
    { values, made, measured },
    { values: after, made: then, measured },
  );
  return /** @type {Step["guess"]["options"][0]} */ (step.guess.options.find(({ id }) => id === answer));
}

/** File name of the saved course. */
export const SAVED = "prviz-course.html";

/** Text on the time that this number of steps takes, at one to two minutes for each.
 * @param {number} steps */
const duration = (steps) => `${steps} to ${2 * steps} minutes`;

/** The course as a Markdown text: first the questions, which can be handed out, then the solutions at the steps'
 * initial values.
 * @param {Content} content @param {{ origin: string, hostname: string, pathname: string }} address of the course. If it is a local address, which others can't open, links lead to the saved course instead */
export function lessonPlan(content, { origin, hostname, pathname }) {
  const local = /^(localhost|127\..*|\[::1\])$/.test(hostname),
    course = local ? `${SAVED}#` : `${origin}${pathname}?step=`,
    lessons = Object.entries(content.lessons);
  const questions = [
    "# Precision and recall of generative models: a lesson plan",
    "",
    `${content.steps.length} steps in ${lessons.length} lessons, ${duration(content.steps.length)} at a screen. In each: move the picture, let the class vote on the question, press the answer, ask "what did you just see?".`,
    "Keys: ← → steps, 1 to 5 answers, P large screen.",
    ...(local ? [`Links open ${SAVED} beside this plan: *Save as a page* makes it.`] : []),
    "",
  ];
  // in print, solutions start on a new page
  const solutions = ['<div style="break-before: page"></div>', "", "## Solutions and sources", ""];
  lessons.forEach(([lesson, title], i) => {
    const steps = content.steps.filter((each) => each.lesson === lesson),
      explained = new Set();
    questions.push(`## ${i + 1}. ${title} (${duration(steps.length)})`, "");
    steps.forEach((step, place) => {
      const number = `${i + 1}.${place + 1}`,
        found = solution(step, content),
        options = step.guess.options
          .map(({ label }) => label)
          .filter(Boolean)
          .join(" / "),
        // the help text may reveal the answer, so it is printed with the solutions
        help = step.help.split("\n").filter((line) => !explained.has(line));
      help.forEach((line) => explained.add(line));
      questions.push(
        `**${number} [${step.lead}](${course}${step.id})** ${step.clause}`,
        "",
        `- Question: ${step.guess.ask} (${options})`,
        "",
      );
      solutions.push(
        `**${number}** ${found.label || found.id}. ${found.because} *${step.takeaway}* ${help.join(" ")}`.trim(),
        "",
      );
    });
  });
  return [...questions, ...solutions].join("\n");
}

/** The course as one HTML file.
 * @param {Content} content */
export async function standalonePage(content) {
  const scripts = /** @type {HTMLScriptElement} */ (document.querySelector("script[src*='static/js/']")).src;
  const script = await (await fetch(new URL(content.script, scripts))).text(),
    data = JSON.stringify({ ...content, script: "" }).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>prviz: precision and recall</title>
<body style="margin:0;color-scheme:light dark"><div class="course-root"></div>
<script type="module">
${script}
$course.alone(document.querySelector(".course-root"), ${data});
</${"script"}></body></html>`; // the tag is in two parts: whole, it would end a script that contains this text
}
