import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { stackKeysOf } from '../../backends/backend-keys.ts'
import { openBackend } from '../../backends/open-backend.ts'
import { limits } from '../../config/limits.ts'
import { deploymentIdOf, stackIdOf } from '../../records/ids.ts'
import { createBlobs } from '../embedded/blobs.ts'
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

test('a request for a blob or a part without a response fails after the time limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const objects = createFileObjects(folder, { hasAttributes: false })
  const backend = await openBackend(objects, {})
  const blobFolder = join(folder, 'blobs')
  const hash = await createBlobs(blobFolder).put(Buffer.from('state'))
  const syncPoints = { read: () => emptySyncPoint }
  const text = JSON.stringify({ writes: [['log.append', { snapshot: hash }]] })
  const part = {
    deployment: deploymentIdOf(stackIdOf('shop', 'dev'), 1),
    copyId: 'c',
    number: 0,
    text,
  }
  for (const method of ['put', 'putIfAbsent']) {
    const called = Promise.withResolvers<void>()
    const hang = (): Promise<never> => {
      called.resolve()
      return new Promise(() => {})
    }
    const store = { ...objects, [method]: hang }
    const send = createPartSender({ backend: { ...backend, store }, syncPoints, blobFolder })
    const results = send([part])
    await called.promise
    await vi.advanceTimersByTimeAsync(limits.storeResponseMs)
    expect(await results).toMatchObject([
      { sentThrough: -1, failure: { code: 'STORE_UNAVAILABLE' } },
    ])
  }
})
