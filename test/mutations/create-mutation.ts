import { type Mutation, type Suite, testsOf } from './mutation.ts'

/** Returns our tests for one file of Pulumi's tests. */
export const groupTestsOf = (file: string, named: string): Suite =>
  testsOf(`test/lifecycle/${file}`, named)

/** Creates a mutation of one file, with the tests of its group that detect it. */
export const createMutation = (
  what: Pick<Mutation, 'name' | 'breaks' | 'file'>,
  edit: readonly [text: string, by: string],
  caughtBy: Suite,
): Mutation => ({ ...what, edits: [edit], caughtBy: [caughtBy] })
