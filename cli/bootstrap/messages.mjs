/** Messages of the bootstrap: short lines on stderr, because stdout is for results. */

/** Prints a line about the current step. */
export function printProgress(text) {
  console.error(`· ${text}`)
}

/** Creates an expected failure with a message and a hint. It is printed without a stack trace. */
export function createBootstrapFailure(text, hint) {
  return Object.assign(new Error(text), { hint })
}

/** Returns the seconds since `startMs` as text. */
export function formatSecondsSince(startMs) {
  return `${((Date.now() - startMs) / 1000).toFixed(1)} s`
}
