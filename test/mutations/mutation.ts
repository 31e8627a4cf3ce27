/**
 * mutations: rules of the product that are broken on purpose, one at a time, in a copy of the tree.
 * Suites that otherwise pass must detect each one. An undetected mutation shows a gap in the tests.
 *
 * Invariants: a mutation names a text that occurs exactly once in its file, so that the list cannot
 * become stale. The working tree is only read.
 */

/** A suite that must fail: tests of one file, or the first seeds of the simulation. */
export type Suite =
  | {
      readonly kind: 'tests'
      readonly file: string
      /** A regular expression for the names of the tests; if absent, all tests of the file. */
      readonly namePattern: string | undefined
    }
  | {
      readonly kind: 'seeds'
      readonly count: number
      /** The platform of all seeds; if absent, each seed draws it. */
      readonly platform?: 'aws'
    }

/** One rule that is broken in one place. */
export interface Mutation {
  /** The wrong behaviour, as a sentence. */
  readonly name: string
  /** The rule: an invariant, or the sentence of a page that states it. */
  readonly breaks: string
  /** The file, relative to the project. */
  readonly file: string
  /** Pairs of an original text and its replacement. */
  readonly edits: readonly (readonly [text: string, replacement: string])[]
  /** The suites that must fail: the fastest that detect the mutation. */
  readonly caughtBy: readonly Suite[]
}

/** Returns the tests of a file: all, or those with matching names. */
export function testsOf(file: string, namePattern?: string): Suite {
  return { kind: 'tests', file: `${file}.test.ts`, namePattern }
}

/** Returns the first seeds of the simulation. */
export function selectFirstSeeds(count: number): Suite {
  return { kind: 'seeds', count }
}

/** Returns the first seeds of the simulation over the AWS adapters. */
export function selectFirstAwsSeeds(count: number): Suite {
  return { kind: 'seeds', count, platform: 'aws' }
}

/** Returns the display name of a suite. */
export function suiteNameOf(suite: Suite): string {
  return suite.kind === 'seeds' ? 'test/sim' : suite.file
}

/** Returns the source with the mutation applied. Throws when a text does not occur exactly once. */
export function mutate(source: string, { name, file, edits }: Mutation): string {
  let mutated = source
  for (const [text, replacement] of edits) {
    const occurrences = source.split(text).length - 1
    if (occurrences !== 1)
      throw new Error(`'${name}': ${file} contains this ${occurrences} times: ${text}`)
    mutated = mutated.replace(text, () => replacement)
  }
  return mutated
}
