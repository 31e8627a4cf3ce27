import { mkdirSync, mkdtempSync, rmSync, writeFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findChangedFiles, scanWatchedFiles } from './scan-watched-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'watch-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function writeFile(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function listFiles(...roots: readonly string[]): readonly string[] {
  const { files } = scanWatchedFiles(roots.map(path => join(root, path)))
  return [...files.keys()].map(path => path.slice(root.length + 1)).sort()
}

test('scanWatchedFiles omits folders of tools, files of editors, and ignored files', () => {
  for (const path of ['index.ts', 'lib/a.py', 'lib/a.pyc', '.index.ts.swp', 'lib/b~'])
    writeFile(path)
  for (const path of ['.git/HEAD', 'lib/node_modules/x.js', 'bin/out.js', 'lib/gen.ts'])
    writeFile(path)
  writeFile('.gitignore', 'bin/\n')
  writeFile('lib/.gitignore', 'gen.ts\n')
  expect(listFiles('.')).toEqual(['.gitignore', 'index.ts', 'lib/.gitignore', 'lib/a.py'])
  const { folders } = scanWatchedFiles([root])
  expect(folders).toEqual([root, join(root, 'lib')])
})

test('scanWatchedFiles reads single files, and omits missing ones', () => {
  writeFile('a/index.ts')
  writeFile('b/other.ts')
  expect(listFiles('a/index.ts', 'b', 'c')).toEqual(['a/index.ts', 'b/other.ts'])
})

test('scanWatchedFiles omits a link that leads to itself', () => {
  symlinkSync('loop', join(root, 'loop'))
  writeFile('index.ts')
  expect(listFiles('.')).toEqual(['index.ts'])
})

test('findChangedFiles returns added, changed and removed files in order', () => {
  const before = new Map([
    ['changed', '1/1'],
    ['removed', '1/1'],
    ['same', '1/1'],
  ])
  const after = new Map([
    ['same', '1/1'],
    ['changed', '2/1'],
    ['added', '1/1'],
  ])
  expect(findChangedFiles(before, after)).toEqual(['added', 'changed', 'removed'])
})
