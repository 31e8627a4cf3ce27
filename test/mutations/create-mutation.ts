import { type Mutation, type Suite, testsOf } from './mutation.ts'

/** Returns the tests with matching names in a file below test/lifecycle. */
export const lifecycleTestsOf = (file: string, namePattern: string): Suite =>
  testsOf(`test/lifecycle/${file}`, namePattern)

/** Creates a mutation of one file, with the tests that detect it. */
export const createMutation = (
  description: Pick<Mutation, 'name' | 'breaks' | 'file'>,
  edit: readonly [text: string, replacement: string],
  caughtBy: Suite,
): Mutation => ({ ...description, edits: [edit], caughtBy: [caughtBy] })
