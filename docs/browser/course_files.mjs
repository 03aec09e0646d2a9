// What the course's own files say of its steps and exercises, so that the site can be held against
// them and not against itself.
import fs from "node:fs";
import path from "node:path";

// { page, features, words }: words are of the code or prose.
function readSolver(file) {
  const text = fs.readFileSync(file, "utf8");
  const anchor = text.match(/^\/\/! # .*\{#([\w]+)\}$/m);
  if (anchor === null) return null;
  const features = [...text.matchAll(/^\/\/! @new\s+(.*)$/gm)]
    .flatMap((match) => match[1].split(",")).map((name) => name.trim()).filter(Boolean);
  const code = text.split("\n").filter((line) => !line.startsWith("//!")).join("\n");
  return { page: anchor[1] + ".html", features, words: new Set(code.match(/[A-Za-z_]\w{5,}/g)) };
}

function solversIn(source, folder, pattern) {
  const solvers = [];
  for (const chapter of fs.readdirSync(path.join(source, "chapters")).sort()) {
    const place = path.join(source, "chapters", chapter, folder);
    if (!/^\d\d_/.test(chapter) || !fs.existsSync(place)) continue;
    for (const name of fs.readdirSync(place).sort()) {
      const solver = pattern.test(name) ? readSolver(path.join(place, name)) : null;
      if (solver !== null) solvers.push(solver);
    }
  }
  return solvers;
}

export function stepsOf(source) {
  return solversIn(source, ".", /^step_.*\.cu$/);
}

export function exercisesOf(source) {
  return solversIn(source, "solutions", /^ex_.*\.cu$/);
}

// The word of a step's program that the fewest other steps have.
export function rarestWord(step, steps) {
  const users = (word) => steps.filter((other) => other.words.has(word)).length;
  return [...step.words].sort((a, b) => users(a) - users(b) || b.length - a.length)[0];
}
