import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stackKeysOf } from '../../backends/backend-keys.ts'
import { openBackend } from '../../backends/open-backend.ts'
import { deploymentIdOf, stackIdOf } from '../../records/ids.ts'
import { createFileObjects } from '../objects/file-objects.ts'
import { toStoreError } from '../embedded/store/store-message.ts'
import { createPartSender } from './send-parts.ts'
import { emptySyncPoint } from './sync-points.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-parts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('the error of a part that cannot be written has the hint for the backend, not that for the store on this machine', async () => {
  const backend = await openBackend(createFileObjects(folder, { hasAttributes: false }), {})
  const id = stackIdOf('shop', 'dev')
  // A file in place of the folder makes every write below it fail, as a full disk does.
  const journal = join(folder, stackKeysOf(backend.layout, id).journal)
  mkdirSync(dirname(journal), { recursive: true })
  writeFileSync(journal.replace(/\/$/, ''), '')
  const blobFolder = join(folder, 'blobs')
  const sendParts = createPartSender({
    backend,
    syncPoints: { read: () => emptySyncPoint },
    blobFolder,
  })
  const [result] = await sendParts([
    { deployment: deploymentIdOf(id, 1), copyId: 'c', number: 0, text: '{}' },
  ])
  // The failure passes through the store's messages before the writer gets it.
  const failure = JSON.parse(JSON.stringify(result?.failure ?? {})) as NonNullable<
    NonNullable<typeof result>['failure']
  >
  expect(toStoreError(failure)).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining(journal) as string,
    hint: `Check the folder ${folder} of the backend, and the space on its disk.`,
  })
})
