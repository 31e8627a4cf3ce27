import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readProject } from '../../shared/programs/project/project-file.ts'
import { createTextFiles } from '../project/output-file.ts'
import { declareInProject } from './declare-in-project.ts'
import { findGoImport } from './go-import.ts'
import { addNodeDependency, findNodeManifest } from './node-dependency.ts'
import { addPythonDependency, findRequirements } from './python-dependency.ts'
import { writeSdk } from './write-sdk.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'package-add-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

test('a package is declared in a project file in YAML, whose comments stay', () => {
  write('Pulumi.yaml', '# first\nname: p\nruntime: nodejs # why\npackages:\n  a: a@1.0.0\n')
  const project = readProject(folder)
  const operands = { plugin: 'terraform-provider', args: ['hashicorp/random', '3.5.0'] }
  const parameterization = { baseProvider: { name: 'terraform-provider', version: '1.1.3' } }
  expect(declareInProject(project, { name: 'random', parameterization }, operands)).toBe(true)
  declareInProject(project, { name: 'gold', version: '2.0.0' }, { plugin: 'gold', args: [] })
  expect(read('Pulumi.yaml')).toBe(
    [
      ...['# first', 'name: p', 'runtime: nodejs # why', 'packages:', '  a: a@1.0.0'],
      ...['  random:', '    source: terraform-provider', '    version: 1.1.3'],
      ...['    parameters:', '      - hashicorp/random', '      - 3.5.0', '  gold: gold@2.0.0', ''],
    ].join('\n'),
  )
})

test('a package is declared in a project file in JSON', () => {
  write('Pulumi.json', '{"name": "p", "runtime": "nodejs"}')
  declareInProject(readProject(folder), { name: 'gold' }, { plugin: 'gold@1.0.0', args: [] })
  expect(JSON.parse(read('Pulumi.json'))).toMatchObject({ packages: { gold: 'gold@1.0.0' } })
})

test.each(['plugins/gold', '../gold'])(
  'the folder of a plugin is declared relative to the project file: %s',
  path => {
    write('Pulumi.yaml', 'name: p\nruntime: nodejs\n')
    const operands = { plugin: join(folder, path), args: [] }
    expect(
      declareInProject(readProject(folder), { name: 'gold', version: '2.0.0' }, operands),
    ).toBe(true)
    const source = path.startsWith('..') ? path : `./${path}`
    expect(read('Pulumi.yaml')).toBe(`name: p\nruntime: nodejs\npackages:\n  gold: ${source}\n`)
  },
)

test('a package of a schema file is not declared, because it has no source', () => {
  write('Pulumi.yaml', 'name: p\nruntime: nodejs\n')
  const operands = { plugin: './schema.json', args: [] }
  expect(declareInProject(readProject(folder), { name: 'gold' }, operands)).toBe(false)
  expect(read('Pulumi.yaml')).toBe('name: p\nruntime: nodejs\n')
})

test('a dependency is added in order, with the indentation of the file', () => {
  write('Pulumi.yaml', 'name: p\nruntime: nodejs\n')
  write('package.json', '{\n\t"name": "p",\n\t"dependencies": {\n\t\t"zod": "4.0.0"\n\t}\n}\n')
  const manifest = findNodeManifest(readProject(folder))
  expect(addNodeDependency(manifest, '@pulumi/random', join(folder, 'sdks/random'))).toBe(
    'file:sdks/random',
  )
  expect(read('package.json')).toBe(
    '{\n\t"name": "p",\n\t"dependencies": {\n\t\t"@pulumi/random": "file:sdks/random",\n\t\t"zod": "4.0.0"\n\t}\n}\n',
  )
})

test('a Node project without package.json is refused', () => {
  write('Pulumi.yaml', 'name: p\nruntime: nodejs\n')
  expect(() => findNodeManifest(readProject(folder))).toThrow('no package.json')
})

test.each([
  ['a==1\n', 'a==1\n./sdks/random\n'],
  ['a==1', 'a==1\n./sdks/random'],
  ['', './sdks/random\n'],
  ['a==1\r\nb\r\n', 'a==1\r\nb\r\n./sdks/random\r\n'],
  ['# c\nPulumi-Random[x]>=4 # why\nb\n', '# c\n./sdks/random\nb\n'],
  ['pulumi_random_more\n', 'pulumi_random_more\n./sdks/random\n'],
  ['-e sdks/random  # mine\n', '-e sdks/random  # mine\n'],
  ['file:./sdks/random\n', 'file:./sdks/random\n'],
  ['./sdks/random ; python_version > "3"\n', './sdks/random ; python_version > "3"\n'],
  ['sdks/random[x] --no-y\n', 'sdks/random[x] --no-y\n'],
  ['-e \\\n  ./sdks/random\n', '-e \\\n  ./sdks/random\n'],
  ['pulumi-random==4 \\\n  --hash=a \\\n  --hash=b\nb\n', './sdks/random\nb\n'],
  ['a \\\r\n  --hash=a\r\n', 'a \\\r\n  --hash=a\r\n./sdks/random\r\n'],
  ['# c \\\npulumi-random\n', '# c \\\n./sdks/random\n'],
])('addPythonDependency leaves one source of the package in %j', (text, expected) => {
  write('Pulumi.yaml', 'name: p\nruntime: python\n')
  write('requirements.txt', text)
  const file = findRequirements(readProject(folder))
  const add = () => addPythonDependency(file, 'pulumi_random', join(folder, 'sdks/random'))
  expect(add()).toBe('./sdks/random')
  expect(read('requirements.txt')).toBe(expected)
  add()
  expect(read('requirements.txt')).toBe(expected)
})

test('a Python project without requirements.txt is refused', () => {
  write('Pulumi.yaml', 'name: p\nruntime: python\n')
  expect(() => findRequirements(readProject(folder))).toThrow('no requirements.txt')
})

test.each([
  ['', 'example.com/sdk'],
  ['shop/', 'example.com/sdk/shop'],
])('the import of an SDK in Go names its module and its package in %j', (subfolder, path) => {
  write('go.mod', '// first\nmodule example.com/sdk\n\ngo 1.25\n')
  mkdirSync(join(folder, subfolder), { recursive: true })
  write(`${subfolder}pulumi-plugin.json`, '{}')
  expect(findGoImport(folder)).toBe(path)
})

test('a folder without a module of Go has no import', () => {
  expect(findGoImport(folder)).toBeUndefined()
})

const sdkOf = (...paths: readonly string[]) => ({
  files: createTextFiles(new Map(paths.map(path => [path, 'text']))),
  omissions: [],
})

test('an SDK replaces the files of an earlier one, and keeps other files', () => {
  const sdk = join(folder, 'sdks/x')
  writeSdk(sdk, sdkOf('index.js', 'old/index.js'))
  mkdirSync(join(sdk, 'node_modules'))
  writeSdk(sdk, sdkOf('index.js', 'new/index.js'))
  const exists = ['index.js', 'old/index.js', 'new/index.js', 'node_modules'].map(path =>
    existsSync(join(sdk, path)),
  )
  expect(exists).toEqual([true, false, true, true])
})

test('a requirement with the `file` address of the SDK is not added again', () => {
  const sdk = join(folder, 'sdks/random')
  write('requirements.txt', `file://${sdk}\n`)
  addPythonDependency(join(folder, 'requirements.txt'), 'pulumi_random', sdk)
  expect(read('requirements.txt')).toBe(`file://${sdk}\n`)
})

test('an SDK is not written over other files, nor outside of its folder', () => {
  expect(() => writeSdk(join(folder, 'sdk'), sdkOf('../escape.js'))).toThrow('outside of the SDK')
  for (const name of ['a\0.js', `${'ü'.repeat(128)}.js`, 'a//b.js'])
    expect(() => writeSdk(join(folder, 'sdk'), sdkOf(name))).toThrow('cannot name a file')
  write('own.ts', '')
  expect(() => writeSdk(folder, sdkOf('index.js'))).toThrow('has files that were not generated')
})
