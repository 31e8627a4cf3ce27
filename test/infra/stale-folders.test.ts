import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createProcessFolderPrefix, removeStaleFolders } from '../../infra/stale-folders.ts'

test('only folders of dead processes are removed', () => {
  const prefix = `antichain-leftovers-${process.pid}-test-`
  const { pid } = spawnSync(process.execPath, ['--version'])
  const createFolder = (name: string): string => mkdtempSync(join(tmpdir(), name))
  const ownFolder = createFolder(createProcessFolderPrefix(prefix))
  // The random suffix of mkdtemp may begin with digits, like a pid.
  const foreignFolders = [
    createFolder(prefix),
    createFolder(`${prefix}1a-`),
    createFolder(`x${prefix}${pid}-`),
  ]
  const deadProcessFolder = createFolder(`${prefix}${pid}-`)
  try {
    removeStaleFolders(prefix)
    expect([ownFolder, ...foreignFolders].map(folder => existsSync(folder))).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(existsSync(deadProcessFolder)).toBe(false)
  } finally {
    for (const folder of [ownFolder, ...foreignFolders, deadProcessFolder])
      rmSync(folder, { recursive: true, force: true })
  }
})
