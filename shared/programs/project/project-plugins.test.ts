import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DeclaredPlugin } from './project.ts'
import { resolveProjectPlugins } from './project-plugins.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'plugins-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function folder(name: string, file?: string): string {
  const path = join(root, name)
  mkdirSync(path, { recursive: true })
  if (file !== undefined) writeFileSync(join(path, 'PulumiPlugin.yaml'), file)
  return path
}

const resource = (name: string, path: string): DeclaredPlugin => ({
  ...{ kind: 'resource', name, version: '', path, isPackage: true },
})
const resolvePlugins = (...plugins: readonly DeclaredPlugin[]) =>
  resolveProjectPlugins({ plugins, root, file: join(root, 'Pulumi.yaml') }).map(one => [
    one.name,
    one.folder,
  ])

test('plugin folders are relative to the project, or absolute', () => {
  const [a, b] = [folder('a'), folder('b')]
  expect(resolvePlugins(resource('a', './a'), resource('b', b))).toEqual([
    ['a', a],
    ['b', b],
  ])
})

test('a package adds the packages it consists of, each once', () => {
  const a = folder('a', 'runtime: nodejs\npackages: {b: ./b, aws: aws@7.0.0}\n')
  const b = folder('b', 'runtime: nodejs\npackages: {a: ./a}\n')
  expect(resolvePlugins(resource('a', 'a'))).toEqual([
    ['a', a],
    ['b', b],
  ])
})

test('a plugin that is not a package adds nothing', () => {
  const a = folder('a', 'runtime: nodejs\npackages: {b: ./b}\n')
  expect(resolvePlugins({ ...resource('a', 'a'), isPackage: false })).toEqual([['a', a]])
})

test('a missing folder is an error', () => {
  writeFileSync(join(root, 'file'), '')
  for (const path of ['nowhere', 'file'])
    expect(() => resolvePlugins(resource('a', path))).toThrow(
      `${join(root, 'Pulumi.yaml')}: plugin 'a': no folder at ${join(root, path)}`,
    )
})
