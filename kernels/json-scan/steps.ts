// Records of one log have the same keys in the same order. So every key read is remembered as a step, with its quotes,
// separators and spaces, behind the step before it; the next record's keys are then compared with what came next the
// last times, 16 bytes at a time, and only a key that came as a surprise is taken apart.

import { same } from './bytes';

// Step: a key as it stands in the log, from the bracket or comma before it to its value.
const STEP_TEXT: usize = 64; // its bytes come first
export const STEP_LENGTH: usize = 64;
export const STEP_CHILD: usize = 68; // the node that takes the value, or 0
export const STEP_SLOT: usize = 72; // the slot that takes the key itself, or -1
export const STEP_WORD: usize = 76; // then its number as a word
export const STEP_START: usize = 80; // and where in the text it lies
export const STEP_STOP: usize = 84;
export const STEP_NEXT: usize = 88; // the first of the steps that came after this one, or 0
export const STEP_OTHER: usize = 92; // another step in the same place, or 0
const STEP_SIZE: usize = 96;
/** Steps tried in one place. Beyond that, taking the key apart is as fast. */
const STEPS_TRIED: i32 = 8;

/** What follows a key that could not be remembered: a link that stays empty. */
export let nowhere: usize = 0;
let stepFree: usize = 0;
let stepEnd: usize = 0;

/** Room for steps. Its first word stays 0: it is nowhere. */
export function configureSteps(address: u32, length: u32): void {
  store<u32>(address, 0);
  nowhere = address;
  stepFree = (address as usize) + 16;
  stepEnd = (address as usize) + (length as usize);
}

/** True if the bytes at `p` are those of the step. */
// @ts-ignore: decorator
@inline
export function matches(p: usize, step: usize): bool {
  return same(p, step, load<u32>(step, STEP_LENGTH));
}

/** Makes the bytes between `from` and `to` a step of the place `link`; gives the place after it, or nowhere. */
export function remember(link: usize, from: usize, to: usize, child: usize): usize {
  const length = to - from;
  if (link == nowhere || length > STEP_TEXT || stepFree + STEP_SIZE > stepEnd) return nowhere;
  let tries = STEPS_TRIED;
  while (load<u32>(link) != 0) {
    if (--tries == 0) return nowhere;
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
