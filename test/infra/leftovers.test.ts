import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processFolderName, removeLeftovers } from '../../infra/leftovers.ts'

test('only folders of dead processes are removed', () => {
  const prefix = `antichain-leftovers-${process.pid}-test-`
  const { pid } = spawnSync(process.execPath, ['--version'])
  const createFolder = (name: string): string => mkdtempSync(join(tmpdir(), name))
  const own = createFolder(processFolderName(prefix))
  // The first letters of a name without a pid may be digits, too.
  const others = [
    createFolder(prefix),
    createFolder(`${prefix}1a-`),
    createFolder(`x${prefix}${pid}-`),
  ]
  const left = createFolder(`${prefix}${pid}-`)
  try {
    removeLeftovers(prefix)
    expect([own, ...others].map(folder => existsSync(folder))).toEqual([true, true, true, true])
    expect(existsSync(left)).toBe(false)
  } finally {
    for (const folder of [own, ...others, left]) rmSync(folder, { recursive: true, force: true })
  }
})
