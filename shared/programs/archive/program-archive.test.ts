import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { list } from 'tar'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { limits } from '../../config/limits.ts'
import { type ExtraFile, packProgram } from './program-archive.ts'

let root: string
let program: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'archive-'))
  program = join(root, 'program')
  mkdirSync(program)
  writeFileSync(join(program, 'Pulumi.yaml'), 'name: p\n')
})
afterEach(() => rmSync(root, { recursive: true }))

/** Packs the program. Returns the paths and the modes of the archive. */
async function packAndList(extraFile?: ExtraFile): Promise<readonly string[]> {
  const file = join(root, 'archive.tgz')
  writeFileSync(file, (await packProgram(program, extraFile)).bytes)
  const entries: string[] = []
  await list({
    file,
    onReadEntry: ({ path, mode = 0 }) => void entries.push(`${path} ${mode.toString(8)}`),
  })
  return entries
}

test('an archive contains a file of another folder under its name, with its mode', async () => {
  const sourcePath = join(root, 'built')
  writeFileSync(sourcePath, 'binary', { mode: 0o755 })
  expect(statSync(sourcePath).mode & 0o777).toBe(0o755)
  expect(await packAndList({ name: '.program', sourcePath })).toEqual([
    './Pulumi.yaml 644',
    './.program 755',
  ])
  expect(readFileSync(sourcePath, 'utf8')).toBe('binary')
})

test('a rule excludes names in another case only on the systems where git ignores the case', async () => {
  writeFileSync(join(program, '.gitignore'), 'build\n*.LOG\n')
  mkdirSync(join(program, 'Build'))
  writeFileSync(join(program, 'Build', 'app.js'), '')
  writeFileSync(join(program, 'run.log'), '')
  const ignoresCase = ['darwin', 'win32'].includes(process.platform)
  const kept = ignoresCase ? [] : ['./Build/app.js 644', './run.log 644']
  const files = ['./.gitignore 644', ...kept, './Pulumi.yaml 644']
  expect((await packAndList()).toSorted()).toEqual(files.toSorted())
})

test('an archive contains an ignored file of its own folder once, if the caller names it', async () => {
  const extraFile = { name: 'bin/app', sourcePath: join(program, 'bin', 'app') }
  mkdirSync(join(program, 'bin'))
  writeFileSync(extraFile.sourcePath, 'binary', { mode: 0o755 })
  expect((await packAndList(extraFile)).at(-1)).toBe('./bin/app 755')
  expect(await packAndList(extraFile)).toHaveLength(2)
  writeFileSync(join(program, '.gitignore'), 'bin\n')
  expect(await packAndList()).not.toContain('./bin/app 755')
  expect(await packAndList(extraFile)).toContain('./bin/app 755')
})

test('the limit of the size counts the extra file, and not the file that it replaces', async () => {
  const largeFile = join(program, 'large')
  writeFileSync(largeFile, '')
  truncateSync(largeFile, limits.programBytesMax + 1)
  const sourcePath = join(root, 'built')
  writeFileSync(sourcePath, 'binary')
  expect((await packProgram(program, { name: 'large', sourcePath })).fileCount).toBe(2)
  rmSync(largeFile)
  truncateSync(sourcePath, limits.programBytesMax + 1)
  await expect(packProgram(program, { name: 'large', sourcePath })).rejects.toMatchObject({
    code: 'ARCHIVE_TOO_LARGE',
  })
})

test('an archive contains a virtual environment only if the installer created it', async () => {
  mkdirSync(join(program, '.venv'))
  writeFileSync(join(program, '.venv', 'pyvenv.cfg'), '')
  writeFileSync(join(program, '.gitignore'), '.venv\n')
  expect(await packAndList()).toEqual(['./.gitignore 644', './Pulumi.yaml 644'])
  writeFileSync(join(program, '.venv', '.antichain-installed'), '')
  expect(await packAndList()).toContain('./.venv/pyvenv.cfg 644')
})
