import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasCode } from '../../errors/error.ts'
import { findProjectFile } from './find-project-file.ts'
import { parseProject, locateProgram, readProject } from './project-file.ts'

/** Returns code and message of the refusal of a project file. Returns '' if it is valid. */
function messageOfFailure(text: string): string {
  try {
    parseProject(text, 'Pulumi.yaml')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown)
      return `${String(thrown.code)} ${thrown.message}`
    throw thrown
  }
  return ''
}

const head = 'name: p\nruntime: nodejs\n'

describe('project file', () => {
  test('a file needs only a name, and its runtime is then empty', () => {
    const project = parseProject('name: site', '/a/Pulumi.yaml')
    expect(project).toMatchObject({ name: 'site', runtime: '', root: '/a', stackConfigDir: '/a' })
    expect(locateProgram(project)).toEqual({ programFolder: '/a', entryPoint: '.' })
  })

  test('a runtime may be a text or a map with options, and a byte order mark is ignored', () => {
    const text =
      '\uFEFFname: p\nruntime: {name: nodejs, options: {typescript: false, nodeargs: --trace-gc}}\n'
    expect(parseProject(text, 'Pulumi.yaml')).toMatchObject({
      runtime: 'nodejs',
      runtimeOptions: { typescript: false, nodeargs: '--trace-gc' },
    })
  })

  test('conflict markers of a merge are recognized', () => {
    const text = 'name: p\n<<<<<<< HEAD\nruntime: go\n=======\nruntime: python\n>>>>>>> other\n'
    expect(messageOfFailure(text)).toBe(
      'PROJECT_INVALID Pulumi.yaml:2:1: the file has conflict markers of a merge',
    )
  })

  test('malformed text is refused with file, line and column', () => {
    expect(messageOfFailure('name: p\nruntime: [\n')).toMatch(/^PROJECT_INVALID Pulumi\.yaml:3:1: /)
    expect(messageOfFailure('name: p\nb: "c\n')).toMatch(/^PROJECT_INVALID Pulumi\.yaml:3:/)
  })

  test('invalid fields are refused with their position', () => {
    expect(messageOfFailure('runtime: nodejs\n')).toMatch(
      /^PROJECT_INVALID Pulumi\.yaml:1:1: .*no `name`/,
    )
    expect(messageOfFailure('- a\n')).toMatch(/^PROJECT_INVALID Pulumi\.yaml:1:1: .*map/)
    expect(messageOfFailure(`${head}main: 7\n`)).toMatch(/^PROJECT_INVALID Pulumi\.yaml:3:7: /)
    expect(
      messageOfFailure('name: p\nruntime:\n  name: nodejs\n  options:\n    nodeargs: [a]\n'),
    ).toMatch(/^PROJECT_INVALID Pulumi\.yaml:5:15: /)
    expect(messageOfFailure(`${head}options: {refresh: never}\n`)).toMatch(
      /^PROJECT_INVALID .*always/,
    )
  })

  test.each([
    ['{type: string, bar: 1}', 'unknown field `bar`'],
    ['{secret: "yes"}', '`secret` does not have the right type'],
    ['{type: array, items: string}', '`items` does not have the right type'],
    ['{secure: abc}', 'cannot be encrypted here'],
    ['', 'neither a type nor a value'],
    ['1.5', 'must be quoted'],
  ])('a configuration key declared as %s is refused with its position', (declaration, message) => {
    expect(messageOfFailure(`${head}config:\n  foo: ${declaration}\n`)).toMatch(
      new RegExp(`^PROJECT_INVALID Pulumi\\.yaml:\\d+:\\d+: .*${message}`),
    )
  })

  test('a configuration key may have any field that Pulumi knows', () => {
    const fields =
      '{type: array, items: {type: string}, description: d, secret: true, default: [a]}'
    const project = parseProject(
      `${head}config:\n  foo: ${fields}\n  bar: 1\n  baz: [a]\n`,
      'Pulumi.yaml',
    )
    expect(project.config.map(({ key }) => key)).toEqual(['bar', 'baz', 'foo'])
  })

  test('an invalid runtime name is refused', () => {
    expect(messageOfFailure('name: p\nruntime: ../cobol\n')).toMatch(
      /^RUNTIME_UNKNOWN .*'\.\.\/cobol'/,
    )
  })

  test('plugins and packages with a path are listed, and packages that are installed are not', () => {
    const text = [
      'plugins:',
      '  providers: [{name: a, path: ./a}, {name: a, path: b, version: 1.0.0}]',
      '  languages: [{name: cobol, path: /hosts}]',
      'packages: {mine: ./local, other: {source: ../other}, third: some/folder, aws: aws@7.0.0, git: github.com/o/r@v1}',
    ]
    expect(parseProject(`${head}${text.join('\n')}\n`, '/a/Pulumi.yaml').plugins).toEqual([
      { kind: 'resource', name: 'a', version: '', path: './a', isPackage: false },
      { kind: 'resource', name: 'a', version: '1.0.0', path: 'b', isPackage: false },
      { kind: 'language', name: 'cobol', version: '', path: '/hosts', isPackage: false },
      { kind: 'resource', name: 'mine', version: '', path: './local', isPackage: true },
      { kind: 'resource', name: 'other', version: '', path: '../other', isPackage: true },
      { kind: 'resource', name: 'third', version: '', path: 'some/folder', isPackage: true },
    ])
  })

  test.each([
    ['{providers: 1}', /`plugins.providers` must be a list/],
    ['{providers: [{name: a}]}', /needs a `name` and a `path`/],
    ['{analyzers: [{name: a, path: ./a, version: v1}]}', /'a' is not a semantic version/],
    [
      '{providers: [{name: a, path: a, version: 1.0.0}, {name: a, path: b, version: 1.0.0}]}',
      /'a' 1\.0\.0 is declared twice/,
    ],
  ])('invalid plugins are refused with their position: %s', (plugins, expected) => {
    const message = messageOfFailure(`${head}plugins: ${plugins}\n`)
    expect(message).toMatch(/^PROJECT_INVALID .*:3:/)
    expect(message).toMatch(expected)
  })

  test('keys without effect on deployments are ignored', () => {
    expect(
      messageOfFailure(
        `${head}packages: {aws: aws@7.0.0}\nbackend: {url: x}\ntemplate: {}\nauthor: me\n`,
      ),
    ).toBe('')
  })

  test('`config` as a text is the old spelling of `stackConfigDir`', () => {
    expect(parseProject(`${head}config: stacks\n`, '/a/Pulumi.yaml').stackConfigDir).toBe(
      '/a/stacks',
    )
    expect(messageOfFailure(`${head}config: stacks\nstackConfigDir: other\n`)).toMatch(
      /^PROJECT_INVALID /,
    )
  })

  test('is found in the nearest folder above, and its absence has a code', () => {
    const root = mkdtempSync(join(tmpdir(), 'project-'))
    mkdirSync(join(root, 'a/b'), { recursive: true })
    writeFileSync(join(root, 'Pulumi.yml'), 'name: up\n')
    expect(readProject(join(root, 'a/b')).name).toBe('up')
    writeFileSync(join(root, 'a/Pulumi.json'), '{"name": "near"}')
    expect(readProject(join(root, 'a/b')).name).toBe('near')
    let thrown: unknown
    try {
      findProjectFile('/')
    } catch (caught) {
      thrown = caught
    }
    expect(hasCode(thrown, 'PROJECT_NOT_FOUND')).toBe(true)
  })

  test("`main` names the program's folder or a file in it", () => {
    const root = mkdtempSync(join(tmpdir(), 'project-'))
    mkdirSync(join(root, 'src'))
    writeFileSync(join(root, 'src/app.js'), '')
    const locate = (main: string): unknown =>
      locateProgram(parseProject(`${head}main: ${main}\n`, join(root, 'Pulumi.yaml')))
    expect(locate('src')).toEqual({ programFolder: join(root, 'src'), entryPoint: '.' })
    expect(locate('src/app.js')).toEqual({ programFolder: join(root, 'src'), entryPoint: 'app.js' })
    expect(() => locate('nowhere')).toThrow(/nowhere/)
  })
})
