import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createError } from '../../errors/error.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import { packProgram } from '../../programs/archive/program-archive.ts'
import { withoutUndefined } from '../../programs/hosts/program-environment.ts'
import { type BlobHash, type EpochMs, stackIdOf } from '../../records/ids.ts'
import type { Command } from '../../records/log.ts'
import type { DeploymentRequest } from '../../records/stack-request.ts'
import type { InstallProgram } from './install-job.ts'
import { createProgramFolders } from './program-folder.ts'
import { unpackArchive } from './unpack-stored-archive.ts'
import { withInstalledPackages } from './uploaded-program.ts'

const stack = stackIdOf('p', 's')
let root: string
let program: string
let archives: Map<string, Uint8Array>
/** The archives with which requests were opened. */
let openedArchives: string[]
let installCount: number
let failure: Error | undefined
/** The archives with installed packages, by the marker of the packages. */
const installedArchives = new Map<string, BlobHash>()

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'uploaded-'))
  program = join(root, 'program')
  mkdirSync(program)
  write('Pulumi.yaml', 'name: p\nruntime: python\n')
  write('requirements.txt', 'pulumi\n')
  writeFileSync(join(root, 'python3'), '#!/bin/sh\necho /bin/python\necho 3.13\n', { mode: 0o755 })
  archives = new Map()
  openedArchives = []
  installCount = 0
  failure = undefined
  installedArchives.clear()
})
afterEach(() => rmSync(root, { recursive: true }))

const write = (name: string, text: string): void => writeFileSync(join(program, name), text)

const archivesPort = {
  get: async (_: string, name: BlobHash) => archives.get(name) ?? new Uint8Array(),
  put: async (_: string, bytes: Uint8Array) => {
    const name = String(archives.size)
    archives.set(name, bytes)
    return name as BlobHash
  },
}

/** Installs an environment with one file. */
const install: InstallProgram = async ({ source = new Uint8Array() }) => {
  installCount += 1
  if (failure !== undefined) throw failure
  const targetFolder = mkdtempSync(join(root, 'installed-'))
  await unpackArchive(source, { targetFolder, name: 'program' })
  const environment = join(targetFolder, '.venv')
  mkdirSync(environment)
  writeFileSync(join(environment, 'pyvenv.cfg'), '')
  writeFileSync(join(environment, '.antichain-installed'), await currentMarker())
  return { archive: (await packProgram(targetFolder)).bytes, packages: 'installed' }
}
/** The marker of the last search, which the installer writes into its environment. */
let marker = ''
const currentMarker = async (): Promise<string> => marker

const folders = () => createProgramFolders(archivesPort, root)

/** Uploads the program and opens a request for it. Returns the folder of the opened program. */
async function open(command: Command = 'up'): Promise<string> {
  const archive = await archivesPort.put(stack, (await packProgram(program)).bytes)
  const opener = withInstalledPackages(
    async request => {
      if (request.program.kind === 'archive') openedArchives.push(request.program.archive)
      return {} as never
    },
    {
      requests: { getProgram: async () => archive },
      archives: archivesPort,
      folders: folders(),
      install,
      documents: { list: async () => ({ documents: [], unreadable: [] }) } as never,
      sealing: {} as never,
      installedPrograms: {
        find: async (_, key) => {
          marker = key
          return installedArchives.get(key)
        },
        store: async (_, key, name) => void installedArchives.set(key, name),
      },
      processes: createProcesses,
      clock: { now: () => 0 as EpochMs },
      env: { ...withoutUndefined(process.env), PULUMI_PYTHON_CMD: join(root, 'python3') },
      scratch: root,
    },
  )
  const request = { stack, program: { kind: 'archive', archive }, options: { command } }
  await opener(request as DeploymentRequest)
  return folders().open(stack, openedArchives.at(-1) as BlobHash)
}

test('packages are installed once, and copied into later programs with the same requirements', async () => {
  const first = await open()
  expect(existsSync(join(first, '.venv', '.antichain-installed'))).toBe(true)
  write('__main__.py', 'print(2)\n')
  const second = await open()
  expect(existsSync(join(second, '.venv', '.antichain-installed'))).toBe(true)
  expect(existsSync(join(second, '__main__.py'))).toBe(true)
  expect(installCount).toBe(1)
  write('requirements.txt', 'pulumi<4\n')
  await open()
  expect(installCount).toBe(2)
})

test('packages are installed again when the archive of their record is gone', async () => {
  await open()
  for (const [key] of installedArchives) installedArchives.set(key, 'gone' as BlobHash)
  await open()
  expect(installCount).toBe(2)
})

test('a failed installation ends an update, but not a destroy, which needs no program', async () => {
  failure = createError('INSTALL_FAILED', 'pip failed')
  await expect(open()).rejects.toMatchObject({ code: 'INSTALL_FAILED' })
  expect(existsSync(join(await open('destroy'), '.venv'))).toBe(false)
})

test('a program of another language is opened as it was uploaded', async () => {
  write('Pulumi.yaml', 'name: p\nruntime: nodejs\n')
  await open()
  expect([installCount, openedArchives]).toEqual([0, ['0']])
})

test('a virtual environment of the client is not part of the upload', async () => {
  mkdirSync(join(program, 'venv'))
  writeFileSync(join(program, 'venv', 'pyvenv.cfg'), 'home = /usr/bin\n')
  expect(existsSync(join(await open(), 'venv'))).toBe(false)
})
