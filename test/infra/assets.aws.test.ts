import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createAssets, handlerName, projectRoot } from '../../infra/assets.ts'
import type { FunctionRow } from '../../infra/function-row.ts'
import { functionsTable } from '../../infra/functions-table.ts'
import { imageLanguages, imagePackagesOf, imageToolsOf } from '../../infra/image-languages.ts'

const folders: string[] = []
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assets-'))
  folders.push(folder)
})
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true })
})

/** The file of each handler. Loading these files needs no environment variables. */
const handlerFiles = {
  webhook: 'answer-webhook',
  schedule: 'run-due-schedule',
  'step-generator': 'run-deployment',
  'step-executor': 'serve-deliveries',
  compaction: 'serve-compaction',
} as const

/** Returns the row of a function with another entry, and without an entry for the long pool. */
function rowOf(name: FunctionRow['name'], entry: string): FunctionRow {
  const { longEntry: _, ...row } =
    functionsTable.find(each => each.name === name) ?? failAbsent(name)
  return { ...row, entry }
}
const failAbsent = (name: string): never => {
  throw new Error(`there is no ${name}`)
}

describe('a bundle', () => {
  test('of the API contains the built dashboard', () => {
    const row = rowOf('api', 'shared/api/pages.ts')
    const target = createAssets('all', folder).bundleFunction(row)
    expect(readdirSync(join(target, 'dashboard')).toSorted()).toEqual([
      ...['assets', 'icon.svg', 'index.html'],
    ])
  })

  test.each(Object.keys(handlerFiles) as (keyof typeof handlerFiles)[])(
    'of the handler of %s can be loaded without packages',
    name => {
      const row = rowOf(name, `functions/${name}/${handlerFiles[name]}.ts`)
      const target = createAssets('all', folder).bundleFunction(row)
      expect(readdirSync(target)).toContain('main.mjs')
      const output = execFileSync(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          "console.log(Object.keys(await import('./main.mjs')).length)",
        ],
        { cwd: target, encoding: 'utf8' },
      )
      expect(Number(output)).toBeGreaterThan(0)
      // Lambda allows 250 MB unpacked. More than a tenth of that would slow down every start.
      expect(statSync(join(target, 'main.mjs')).size).toBeLessThan(25 * 1024 * 1024)
    },
  )

  test('contains the files that are started as processes, with their executable flag', () => {
    const target = createAssets('none', folder).bundleFunction(
      rowOf('step-executor', 'functions/none.ts'),
    )
    for (const file of ['pulumi-resource-pulumi-nodejs', 'dynamic-provider.mjs'])
      expect(existsSync(join(target, file))).toBe(true)
    expect(statSync(join(target, 'pulumi-resource-pulumi-nodejs')).mode & 0o111).not.toBe(0)
  })

  test('of a missing entry is refused', () => {
    const assets = createAssets('all', folder)
    expect(() => assets.bundleFunction(rowOf('api', 'functions/api/none.ts'))).toThrow(
      expect.objectContaining({ code: 'PLATFORM_ENTRY_MISSING' }),
    )
  })

  test('of a missing entry has only a placeholder in the mode `existing`', () => {
    const assets = createAssets('existing', folder)
    const target = assets.bundleFunction(rowOf('api', 'functions/api/none.ts'))
    expect(readdirSync(target)).toEqual(['main.absent'])
    expect([...assets.missingEntries]).toEqual(['functions/api/none.ts'])
  })
})

describe('the image', () => {
  const text = readFileSync(join(projectRoot, 'infra', 'images', 'Dockerfile'), 'utf8')
  const lines = text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  const argumentsOf = (word: string): readonly string[] =>
    lines.filter(line => line.startsWith(`${word} `)).map(line => line.slice(word.length + 1))
  const imageRows = functionsTable.filter(
    row => row.packaging === 'image' || row.longEntry !== undefined,
  )

  test('passes a Dockerfile linter, which finds a planted error', () => {
    const findProblems = (dockerfile: string) => validate(dockerfile).map(({ message }) => message)
    expect(findProblems(text)).toEqual([])
    expect(findProblems(text.replace(/^FROM .*$/m, ''))).not.toEqual([])
    expect(findProblems(text.replace('RUN test', 'RUM test'))).toEqual(['Unknown instruction: RUM'])
  })

  test('has known instructions only, in one stage', () => {
    const instructionNames = lines.map(line => line.split(' ')[0])
    expect(new Set(instructionNames)).toEqual(new Set(['ARG', 'CMD', 'COPY', 'ENV', 'FROM', 'RUN']))
    expect(instructionNames[0]).toBe('FROM')
    expect(instructionNames.at(-1)).toBe('CMD')
  })

  test('is based on the Lambda image for Node 24', () => {
    expect(argumentsOf('FROM')).toEqual(['public.ecr.aws/lambda/nodejs:24'])
  })

  test('installs the language packages without their caches', () => {
    expect(argumentsOf('ARG')).toEqual(['PACKAGES', 'TOOLS'])
    expect(argumentsOf('RUN')).toHaveLength(3)
    expect(argumentsOf('RUN')[0]).toMatch(
      /^test -n "\$PACKAGES" && dnf install -y .*\$PACKAGES && dnf clean all/,
    )
    const [, version] =
      /^ln -s \/usr\/bin\/(python[\d.]+) \/usr\/local\/bin\/python3$/.exec(
        argumentsOf('RUN')[1] ?? '',
      ) ?? []
    expect(imagePackagesOf(imageLanguages).split(' ')).toContain(version)
    expect(argumentsOf('RUN')[2]).toMatch(
      /^test -n "\$TOOLS" && npm install --global --ignore-scripts .*\$TOOLS && npm cache clean/,
    )
    expect(imageToolsOf(imageLanguages)).toMatch(/^pnpm@[\d.]+ yarn@1[\d.]+$/)
    expect(imagePackagesOf(imageLanguages)).toBe('git gzip python3.13 python3.13-pip tar unzip')
  })

  test('contains no secret and downloads nothing itself', () => {
    expect(text).not.toMatch(/secret|token|password|curl|wget|ADD /i)
  })

  test('copies the contents of its folder, and starts a copied file', () => {
    const target = createAssets('none', folder).bundleImage(imageRows)
    expect(argumentsOf('COPY')).toEqual(['functions/ ${LAMBDA_TASK_ROOT}/'])
    expect(readdirSync(target).toSorted()).toEqual(['Dockerfile', 'functions'])
    expect(readdirSync(join(target, 'functions')).toSorted()).toEqual([
      'installer',
      'step-executor',
      'step-generator',
    ])
    const [start] = JSON.parse(argumentsOf('CMD')[0] ?? '[]') as string[]
    expect(start).toBe(`step-generator/${handlerName}`)
  })

  test('has a folder for each function, with the bundles of the function and of its task', () => {
    const longRows = imageRows.filter(({ longEntry }) => longEntry !== undefined)
    const rows = longRows.map(row => ({
      ...row,
      entry: `functions/${row.name}/long-pool-task.ts`,
      longEntry: `functions/${row.name}/long-pool-task.ts`,
    }))
    const target = createAssets('all', folder).bundleImage(rows)
    for (const { name } of rows)
      expect(readdirSync(join(target, 'functions', name)).toSorted()).toEqual([
        ...(name === 'step-generator' ? ['check-memory.cjs'] : []),
        'dynamic-provider.mjs',
        ...(name === 'step-generator' ? ['frame-memory.cjs'] : []),
        'long.mjs',
        'main.mjs',
        ...(name === 'step-generator' ? ['preload-program.cjs'] : []),
        'pulumi-resource-pulumi-nodejs',
        'pulumi-resource-pulumi-python',
        ...(name === 'step-generator' ? ['run-program.py', 'sdk-texts.cjs'] : []),
      ])
  })
})
