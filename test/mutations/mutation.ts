/**
 * mutations: rules of the product broken on purpose, one at a time, in a copy of the tree. Each
 * must be caught by suites that pass otherwise: what nobody catches is a hole in the tests.
 *
 * Invariants: a mutation names a piece of text that its file has exactly once, so that the list
 * cannot outlive the code; the working tree is only read.
 */

/** What has to fail: tests of one file, or some of the simulation's first seeds. */
export type Suite =
  | {
      readonly kind: 'tests'
      readonly file: string
      /** A regular expression for the names of those that are run; all of the file without it. */
      readonly named: string | undefined
    }
  | {
      readonly kind: 'seeds'
      readonly count: number
      /** Where all of them are; where each draws it otherwise. */
      readonly platform?: 'aws'
    }

/** One rule, broken in one place. */
export interface Mutation {
  /** What is done wrong then, as a sentence. */
  readonly name: string
  /** The rule: an invariant, or the sentence of a page that states it. */
  readonly breaks: string
  /** Relative to the project. */
  readonly file: string
  /** Pieces of its text, each with what stands in its place then. */
  readonly edits: readonly (readonly [text: string, by: string])[]
  /** Each of these must fail; the cheapest that can. */
  readonly caughtBy: readonly Suite[]
}

/** Tests of a file, all or those with such names. */
export function testsOf(file: string, named?: string): Suite {
  return { kind: 'tests', file: `${file}.test.ts`, named }
}

/** The first seeds of the simulation. */
export function seedsOf(count: number): Suite {
  return { kind: 'seeds', count }
}

/** The first seeds of the simulation over the adapters for AWS. */
export function awsSeedsOf(count: number): Suite {
  return { kind: 'seeds', count, platform: 'aws' }
}

/** A suite as people read it. */
export function suiteNameOf(suite: Suite): string {
  return suite.kind === 'seeds' ? 'test/sim' : suite.file
}

/** The source with the mutation in it. Throws when a piece is not in it exactly once. */
export function mutate(source: string, { name, file, edits }: Mutation): string {
  let mutated = source
  for (const [text, by] of edits) {
    const pieces = source.split(text).length - 1
    if (pieces !== 1) throw new Error(`'${name}': ${file} has this ${pieces} times: ${text}`)
    mutated = mutated.replace(text, () => by)
  }
  return mutated
}
