import { type Mutation, type Suite, testsOf } from './mutation.ts'

/**
 * Returns the tests with matching names in a file of a group. A group is one folder of Pulumi's
 * tests below test/lifecycle.
 */
export const groupTestsOf = (file: string, namePattern: string): Suite =>
  testsOf(`test/lifecycle/${file}`, namePattern)

/** Creates a mutation of one file, with the tests of its group that detect it. */
export const createMutation = (
  description: Pick<Mutation, 'name' | 'breaks' | 'file'>,
  edit: readonly [text: string, replacement: string],
  caughtBy: Suite,
): Mutation => ({ ...description, edits: [edit], caughtBy: [caughtBy] })
