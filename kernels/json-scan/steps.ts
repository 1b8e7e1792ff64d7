// Predicts keys. The records of a log have the same keys in the same order, so each key is stored as a step after the step
// before it, with its quotes, separators and spaces. In the next record, the bytes are compared with the known next
// steps, 16 at a time, and only an unknown key is parsed.

import { same } from './bytes';

// The layout of a step: a key as written in the log, from the bracket or comma before it up to its value.
const STEP_TEXT: usize = 64; // size of the text at the start of the step
export const STEP_LENGTH: usize = 64;
export const STEP_CHILD: usize = 68; // node for the value, or 0
export const STEP_SLOT: usize = 72; // slot for the key itself, or -1
export const STEP_SYMBOL: usize = 76; // number of the key as a symbol
export const STEP_START: usize = 80; // position of the key in the text
export const STEP_STOP: usize = 84;
export const STEP_NEXT: usize = 88; // first step that can follow this one, or 0
export const STEP_OTHER: usize = 92; // next alternative to this step, or 0
const STEP_SIZE: usize = 96;
/** The number of alternatives per position. With more of them, parsing the key is as fast. */
const STEPS_TRIED: i32 = 8;

/** The link after a key that could not be stored. It always holds 0. */
export let emptyLink: usize = 0;
let stepFree: usize = 0;
let stepEnd: usize = 0;

/** Sets the memory for steps. Its first word is the empty link. */
export function configureSteps(address: u32, length: u32): void {
  store<u32>(address, 0);
  emptyLink = address;
  stepFree = (address as usize) + 16;
  stepEnd = (address as usize) + (length as usize);
}

/** Tells whether the bytes at `p` equal the text of the step. */
// @ts-ignore: decorator
@inline
export function matches(p: usize, step: usize): bool {
  return same(p, step, load<u32>(step, STEP_LENGTH));
}

/** Stores the bytes between `from` and `to` as a step at `link`. Returns the link to its next steps, or emptyLink. */
export function addStep(link: usize, from: usize, to: usize, child: usize): usize {
  const length = to - from;
  if (link == emptyLink || length > STEP_TEXT || stepFree + STEP_SIZE > stepEnd) return emptyLink;
  let tries = STEPS_TRIED;
  while (load<u32>(link) != 0) {
    if (--tries == 0) return emptyLink;
    link = (load<u32>(link) as usize) + STEP_OTHER;
  }
  const step = stepFree;
  stepFree += STEP_SIZE;
  memory.copy(step, from, length);
  store<u32>(step, length as u32, STEP_LENGTH);
  store<u32>(step, child as u32, STEP_CHILD);
  store<i32>(step, -1, STEP_SLOT);
  store<u32>(step, 0, STEP_NEXT);
  store<u32>(step, 0, STEP_OTHER);
  store<u32>(link, step as u32);
  return step + STEP_NEXT;
}
