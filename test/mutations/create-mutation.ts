import { type Mutation, type Suite, testsOf } from './mutation.ts'

/** Tests that stand for those of one file of the original's. */
export const groupTestsOf = (file: string, named: string): Suite =>
  testsOf(`test/lifecycle/${file}`, named)

/** What is broken in one file, and by which tests of its group that is noticed. */
export const createMutation = (
  what: Pick<Mutation, 'name' | 'breaks' | 'file'>,
  edit: readonly [text: string, by: string],
  caughtBy: Suite,
): Mutation => ({ ...what, edits: [edit], caughtBy: [caughtBy] })
