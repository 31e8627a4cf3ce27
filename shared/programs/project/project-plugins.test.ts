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

function createPluginFolder(name: string, pluginFile?: string): string {
  const path = join(root, name)
  mkdirSync(path, { recursive: true })
  if (pluginFile !== undefined) writeFileSync(join(path, 'PulumiPlugin.yaml'), pluginFile)
  return path
}

const createDeclaredPlugin = (name: string, path: string): DeclaredPlugin => ({
  kind: 'resource',
  name,
  version: '',
  path,
  isPackage: true,
})
const resolvePlugins = (...plugins: readonly DeclaredPlugin[]) =>
  resolveProjectPlugins({ plugins, root, file: join(root, 'Pulumi.yaml') }).map(
    ({ name, folder }) => [name, folder],
  )

test('plugin folders are relative to the project, or absolute', () => {
  const [a, b] = [createPluginFolder('a'), createPluginFolder('b')]
  expect(resolvePlugins(createDeclaredPlugin('a', './a'), createDeclaredPlugin('b', b))).toEqual([
    ['a', a],
    ['b', b],
  ])
})

test('a package adds the packages that its plugin file names, each once', () => {
  const a = createPluginFolder('a', 'runtime: nodejs\npackages: {b: ./b, aws: aws@7.0.0}\n')
  const b = createPluginFolder('b', 'runtime: nodejs\npackages: {a: ./a}\n')
  expect(resolvePlugins(createDeclaredPlugin('a', 'a'))).toEqual([
    ['a', a],
    ['b', b],
  ])
})

test('a plugin that is not a package does not add the packages of its plugin file', () => {
  const a = createPluginFolder('a', 'runtime: nodejs\npackages: {b: ./b}\n')
  expect(resolvePlugins({ ...createDeclaredPlugin('a', 'a'), isPackage: false })).toEqual([
    ['a', a],
  ])
})

test('a missing folder is an error', () => {
  writeFileSync(join(root, 'file'), '')
  for (const path of ['nowhere', 'file'])
    expect(() => resolvePlugins(createDeclaredPlugin('a', path))).toThrow(
      `${join(root, 'Pulumi.yaml')}: plugin 'a': no folder at ${join(root, path)}`,
    )
})
