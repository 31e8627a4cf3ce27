import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyFiles } from './copy-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'antichain-copy-'))
  mkdirSync(join(root, 'assets/images'), { recursive: true })
  for (const file of ['main.pp', 'assets/a.txt', 'assets/images/b.png'])
    writeFileSync(join(root, file), file)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
const createFolder = (path: string): string => {
  mkdirSync(join(root, path), { recursive: true })
  return join(root, path)
}

test.each(['new', 'assets/new'])('copyFiles leaves the target %s out of its own copy', path => {
  const target = createFolder(path)
  writeFileSync(join(target, 'written.txt'), '')
  copyFiles(root, target, name => !name.endsWith('.pp'))
  const copies = ['assets', 'assets/a.txt', 'assets/images', 'assets/images/b.png']
  expect(listFiles(target)).toEqual([...copies, 'written.txt'])
})

test('copyFiles changes nothing if the target is the source', () => {
  const files = listFiles(root)
  copyFiles(root, join(root, 'assets/..'))
  expect(listFiles(root)).toEqual(files)
})

test('copyFiles copies links as links, also again and without their targets', () => {
  symlinkSync('assets', join(root, 'folder'))
  symlinkSync('nowhere', join(root, 'dangling'))
  const target = createFolder('new')
  for (const _ of [1, 2]) copyFiles(root, target)
  expect(readlinkSync(join(target, 'folder'))).toBe(join(root, 'assets'))
  expect(readlinkSync(join(target, 'dangling'))).toBe(join(root, 'nowhere'))
})
