import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../shared/platform/embedded/store/database.ts'
import { readProject } from '../../shared/programs/project/project-file.ts'
import type { CliSession } from '../session/session.ts'
import { checkPackageFiles } from './check-package-files.ts'
import { checkMachine, readMachineFacts } from './check-machine.ts'
import { checkProject, checkYamlFile } from './check-project.ts'
import { checkStore, findStoreDefects } from './check-store.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

describe('checkMachine', () => {
  const nowMs = Date.UTC(2027, 0, 1)
  const facts = { nodeVersion: 'v24.0.0', home: '/h', freeBytes: 2 ** 40, nowMs, lastChangeMs: 0 }
  const findProblems = (changedFacts: Partial<typeof facts>): readonly string[] =>
    checkMachine({ ...facts, ...changedFacts }).findings.map(({ problem }) => problem)

  test('has no findings about a machine with free space and the right clock', () => {
    expect(findProblems({})).toEqual([])
  })

  test('reads the facts about this machine, also for a folder that does not exist yet', () => {
    const machineFacts = readMachineFacts(join(folder, 'new'))
    expect(machineFacts).toMatchObject({ nodeVersion: process.version, lastChangeMs: 0 })
    expect(machineFacts.freeBytes).toBeGreaterThan(0)
  })

  test('finds a full disk', () => {
    expect(findProblems({ freeBytes: 2 ** 20 })).toEqual(['the disk has only 1 MB of free space'])
  })

  test('finds a clock before the last change of the store', () => {
    expect(findProblems({ lastChangeMs: nowMs + 3_600_000 })).toEqual([
      'the clock shows 2027-01-01T00:00:00.000Z, but the store was changed at 2027-01-01T01:00:00.000Z',
    ])
  })

  test('finds a clock that is years behind', () => {
    expect(findProblems({ nowMs: 0 })).toEqual([
      'the clock shows 1970-01-01T00:00:00.000Z, which is in the past',
    ])
  })
})

describe('checkPackageFiles', () => {
  const writePackage = (): void => {
    const sha256 = createHash('sha256').update('text').digest('hex')
    for (const name of ['one', 'two']) write(name, 'text')
    write('dist/files.json', JSON.stringify({ files: { one: sha256, two: sha256 } }))
  }

  test('has no findings about an unchanged package', () => {
    writePackage()
    expect(checkPackageFiles(folder).findings).toEqual([])
  })

  test('names missing and changed files of a package, and how to restore them', () => {
    writePackage()
    rmSync(join(folder, 'one'))
    write('two', 'other text')
    const { findings } = checkPackageFiles(folder)
    expect(findings.map(finding => finding.problem)).toEqual([
      'files of the package are missing: one',
      'files of the package are changed: two',
    ])
    expect(findings[0]?.remedy).toContain('npm install -g')
  })

  test('finds a list of files that is missing or damaged', () => {
    expect(checkPackageFiles(folder).findings).toHaveLength(1)
    write('dist/files.json', '{"files":')
    expect(checkPackageFiles(folder).findings[0]?.problem).toContain('damaged')
  })
})

describe('checkYamlFile', () => {
  test('finds the line of a conflict marker', () => {
    const file = write('Pulumi.yaml', 'name: a\n<<<<<<< HEAD\nruntime: go\n=======\n>>>>>>> x\n')
    expect(checkYamlFile(file)[0]?.problem).toBe('line 2 has a conflict marker of git')
  })

  test('finds invalid YAML, and accepts valid YAML', () => {
    expect(checkYamlFile(write('Pulumi.dev.yaml', 'config: [a\n'))).toHaveLength(1)
    expect(checkYamlFile(write('Pulumi.dev.yaml', 'config: {a: b}\n'))).toEqual([])
  })
})

describe('checkProject', () => {
  /** Returns the subjects and the problems of the findings about the project in the folder. */
  const listFindings = async () => {
    const fields = {
      cwd: folder,
      io: { env: process.env },
      requireProject: () => readProject(folder),
    }
    const { findings } = await checkProject(fields as unknown as CliSession)
    return findings.map(({ subject, problem }) => [subject, problem])
  }

  test.each(['nodejs', 'python', 'go', 'yaml'])(
    'finds that `main` of a project in %s does not exist',
    async runtime => {
      const file = write('Pulumi.yaml', `name: a\nruntime: ${runtime}\nmain: gone\n`)
      const problem = expect.stringContaining('`main` names')
      expect(await listFindings()).toEqual([[file, problem]])
    },
  )

  test('finds a project without a name beside invalid YAML of a stack', async () => {
    const file = write('Pulumi.yaml', 'runtime: yaml\n')
    const stackFile = write('Pulumi.dev.yaml', 'config: [a\n')
    expect(await listFindings()).toEqual([
      [stackFile, expect.any(String)],
      [file, expect.stringContaining('the project has no `name`')],
    ])
  })

  test('has one finding about a project file with invalid YAML', async () => {
    const file = write('Pulumi.yaml', 'name: [a\n')
    expect(await listFindings()).toEqual([[file, expect.any(String)]])
  })
})

describe('checkStore', () => {
  const uid = process.getuid?.() ?? 0
  const createStore = (): string => {
    mkdirSync(join(folder, 'store'), { mode: 0o700 })
    const database = join(folder, 'store/antichain.db')
    openDatabase(database).close()
    return database
  }

  test('has no findings about an absent store and a new one', () => {
    expect(checkStore(folder, uid).findings).toEqual([])
    createStore()
    expect(checkStore(folder, uid).findings).toEqual([])
  })

  test('finds a damaged file, permissions for others, and another owner of the files', () => {
    writeFileSync(createStore(), 'this is not a database, but a text of some length')
    chmodSync(join(folder, 'store'), 0o755)
    expect(checkStore(folder, uid + 1).findings.map(finding => finding.problem)).toEqual([
      'it is not a database',
      'other users may use the store (mode 755)',
      `the store belongs to the user ${uid}, and this process runs as ${uid + 1}`,
    ])
  })

  test('finds a newer store, a missing snapshot, and a suspended owner', () => {
    const facts = {
      folder,
      database: 'db',
      mode: 0o700,
      uid,
      foundVersion: 99,
      knownVersion: 9,
      defects: [],
      missingSnapshots: ['a/b/c: file'],
      owner: { pid: 7, state: 'stopped' as const },
    }
    expect(findStoreDefects(facts, uid).map(finding => finding.problem)).toEqual([
      'a snapshot is missing: a/b/c: file',
      'the store has version 99, and this antichain knows 9',
      'process 7, which owns the store, is suspended',
    ])
  })
})
