import { expect, test } from 'vitest'
import type { EnginePort } from '../../local/engine-port.ts'
import { createError } from '../../shared/errors/error.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { emptyDeployment } from '../../shared/state/empty-deployment.ts'
import { readUnchangedStack } from './read-unchanged-stack.ts'

const id = 'organization/shop/dev' as StackId
const recordOf = (version: number, current = '') => ({ id, version, current }) as StackRecord

/** Reads a stack whose record is the next of `records` at each read. The last one remains. */
async function readStack(
  records: readonly (StackRecord | undefined)[],
  exportState: EnginePort['exportState'] = async () => emptyDeployment,
) {
  let reads = 0
  let attempts = 0
  const getStack = async () => records[Math.min(reads++, records.length - 1)]
  const engine = { platform: { catalog: { getStack } }, exportState } as unknown as EnginePort
  const read = await readUnchangedStack(engine, id, async () => (attempts += 1))
  return { read, attempts }
}

test.each([
  ['nothing', [recordOf(1)], 1],
  ['the version', [recordOf(1), recordOf(2)], 2],
  ['the open deployment', [recordOf(1, `${id}/2`), recordOf(1)], 2],
])('an export during which %s changed has the record of its state', async (...example) => {
  const [, records, attempts] = example
  const newest = records.at(-1)
  expect(await readStack(records)).toEqual({
    read: { record: newest, state: emptyDeployment, contents: attempts },
    attempts,
  })
})

test('an export of a stack that changes during each attempt is refused', async () => {
  const records = Array.from({ length: 9 }, (_, version) => recordOf(version))
  await expect(readStack(records)).rejects.toMatchObject({ code: 'STORE_CONFLICT' })
})

test('readUnchangedStack returns undefined for a stack that was removed meanwhile', async () => {
  expect((await readStack([undefined])).read).toBeUndefined()
  const refuse = async () => {
    throw createError('STACK_NOT_FOUND', 'removed')
  }
  expect((await readStack([recordOf(1), undefined], refuse)).read).toBeUndefined()
})
