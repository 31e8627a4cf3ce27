import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EnginePort } from '../../local/engine-port.ts'
import { createError } from '../../shared/errors/error.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'
import { withExportFolder } from './export-file.ts'
import { writeExport } from './write-export.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-export-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const id = 'organization/shop/dev' as StackId

/** The parts of an engine that an export reads, for one stack with two versions. */
interface StackReads {
  readonly exportState: EnginePort['exportState']
  readonly callApi: EnginePort['callApi']
}

const refuse = (): never => {
  throw createError('STACK_NOT_FOUND', 'removed')
}
const presentStack: StackReads = {
  exportState: async () => undefined,
  callApi: async ({ path }) => (path.endsWith('/tags') ? { tags: {} } : { items: [] }),
}

/** Writes an export of the stack. Returns its stacks, the files of stacks, and the reports. */
async function exportStack(reads: StackReads) {
  const record = { id, version: 2, current: '' }
  const catalog = {
    listStacks: async () => ({ stacks: [record], unreadable: [] }),
    getStack: async () => record,
    listHistory: async (_stack: StackId, _count: number, before?: number) =>
      before === undefined ? [{ deployment: `${id}/1`, version: 1 }] : [],
  }
  const root = join(folder, 'all')
  const session = {
    ...{ home: join(folder, 'home'), cwd: folder, io: { env: {} } },
    openEngine: async () => ({ platform: { catalog }, ...reads }) as unknown as EnginePort,
  } as unknown as CliSession
  const lines: string[] = []
  mkdirSync(root)
  const { manifest } = await writeExport(session, root, line => lines.push(line))
  const files = readdirSync(root, { recursive: true }).map(String)
  const stackFiles = files.filter(file => file.startsWith('stacks/'))
  return { stacks: manifest.stacks.map(stack => stack.id), stackFiles, lines }
}

test('an export of a present stack has the files of the stack', async () => {
  expect(await exportStack(presentStack)).toMatchObject({
    stacks: [id],
    stackFiles: expect.arrayContaining(['stacks/0/documents.json']),
  })
})

test.each<[string, Partial<StackReads>]>([
  [
    'an earlier version',
    { exportState: async (_stack, version) => (version === 1 ? refuse() : undefined) },
  ],
  [
    'its documents',
    {
      callApi: async call =>
        call.path.startsWith('/v1/stacks/') ? refuse() : presentStack.callApi(call),
    },
  ],
])('an export warns of a stack that is removed before the read of %s', async (_case, reads) => {
  const { stacks, stackFiles, lines } = await exportStack({ ...presentStack, ...reads })
  expect([stacks, stackFiles]).toEqual([[], []])
  expect(lines).toEqual([expect.stringContaining(`${id} was removed during the export`)])
})

test('an export refuses a folder that has only the manifest of an earlier one', async () => {
  writeFileSync(join(folder, 'manifest.json'), '{}')
  await expect(withExportFolder(folder, async () => undefined)).rejects.toThrow('is not empty')
})
