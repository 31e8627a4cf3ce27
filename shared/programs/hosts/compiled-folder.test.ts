import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { compiledRetentionMs } from '../../config/program-limits.ts'
import { createCompiledFolder, removeOldCompiledCode } from './compiled-folder.ts'

const filesMax = 10
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-compiled-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function writeFiles(version: string, count: number): void {
  mkdirSync(join(folder, version))
  for (let index = 0; index < count; index++) {
    const file = join(folder, version, `file-${index}`)
    writeFileSync(file, '')
    utimesSync(file, index, index)
  }
}

test('of too many files, the older half is removed', async () => {
  writeFiles('v24', filesMax + 1)
  await removeOldCompiledCode(folder, Date.now(), filesMax)
  const names = readdirSync(join(folder, 'v24'))
  expect(names).toHaveLength(filesMax / 2)
  expect(names).toContain(`file-${filesMax}`)
  expect(names).not.toContain(`file-${filesMax / 2}`)
})

test('the code of a Node version that compiled nothing for the retention time is removed, and other code is kept', async () => {
  writeFiles('v22', 2)
  writeFiles('v24', 2)
  const oldSeconds = (Date.now() - compiledRetentionMs) / 1000 - 60
  utimesSync(join(folder, 'v22'), oldSeconds, oldSeconds)
  await removeOldCompiledCode(folder, Date.now())
  expect(existsSync(join(folder, 'v22'))).toBe(false)
  expect(readdirSync(join(folder, 'v24'))).toHaveLength(2)
})

test('a missing folder is no error', async () => {
  await expect(removeOldCompiledCode(join(folder, 'absent'), Date.now())).resolves.toBeUndefined()
})

test('the folder is private, and a folder that cannot be created is no error', () => {
  const created = createCompiledFolder(join(folder, 'home', 'compiled')) ?? ''
  expect(statSync(created).mode & 0o777).toBe(0o700)
  expect(createCompiledFolder(created)).toBe(created)
  writeFileSync(join(folder, 'file'), '')
  expect(createCompiledFolder(join(folder, 'file', 'compiled'))).toBeUndefined()
  expect(createCompiledFolder(undefined)).toBeUndefined()
})
