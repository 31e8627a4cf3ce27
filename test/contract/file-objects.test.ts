import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { createFileObjects } from '../../shared/platform/objects/file-objects.ts'
import { defineObjectsContract } from './objects.ts'

const root = mkdtempSync(join(tmpdir(), 'antichain-objects-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

defineObjectsContract('files', async () => ({
  ports: createFileObjects(join(root, 'contract'), { hasAttributes: true }),
  close: async () => {},
}))

test('the attributes of a file equal those that Pulumi writes', async () => {
  const folder = join(root, 'attributes')
  await createFileObjects(folder, { hasAttributes: true }).put(
    '.pulumi/meta.yaml',
    Buffer.from('version: 1\n'),
  )
  // The text was written by Pulumi 3.274.1.
  expect(readFileSync(join(folder, '.pulumi/meta.yaml.attrs'), 'utf8')).toBe(
    '{"user.cache_control":"","user.content_disposition":"","user.content_encoding":"",' +
      '"user.content_language":"","user.content_type":"text/plain; charset=utf-8",' +
      '"user.metadata":null,"md5":"EaRWdV65+nlqCnYlI4a4Wg=="}\n',
  )
  const bare = join(root, 'bare')
  await createFileObjects(bare, { hasAttributes: false }).put('a', Buffer.from('x'))
  expect(readdirSync(bare)).toEqual(['a'])
})

test('a list is complete while another thread creates and removes folders', async () => {
  const folder = join(root, 'changing')
  const objects = createFileObjects(folder, { hasAttributes: false })
  await objects.put('kept/a', Buffer.from('x'))
  const changes = new Worker(
    `const { mkdirSync, rmdirSync } = require('node:fs')
     const { workerData: folders } = require('node:worker_threads')
     for (;;) {
       for (const path of folders) mkdirSync(path)
       for (const path of folders) rmdirSync(path)
     }`,
    { eval: true, workerData: ['b', 'c', 'd'].map(name => join(folder, name)) },
  )
  try {
    await once(changes, 'online')
    for (let count = 0; count < 500; count += 1)
      expect((await objects.list('')).map(({ key }) => key)).toEqual(['kept/a'])
  } finally {
    await changes.terminate()
  }
})
