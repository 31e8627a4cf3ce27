import { type Mutation, type Suite, tests } from './mutation.ts'

/** Tests that stand for those of one file of the original's. */
export const group = (file: string, named: string): Suite => tests(`test/lifecycle/${file}`, named)

/** What is broken in one file, and by which tests of its group that is noticed. */
export const one = (
  what: Pick<Mutation, 'name' | 'breaks' | 'file'>,
  edit: readonly [text: string, by: string],
  caughtBy: Suite,
): Mutation => ({ ...what, edits: [edit], caughtBy: [caughtBy] })
