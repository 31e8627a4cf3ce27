import { describe, expect, test } from 'vitest'
import { listSources } from './sources.ts'

const code = listSources(/\.(tsx?|mjs)$/)
const isTest = (path: string): boolean => /\.test\.ts$|^test\//.test(path)

/** Files with tests that are skipped under a condition, by path. The value is that condition. */
const conditionalTests: Readonly<Record<string, string>> = {
  'test/e2e/round-trip.test.ts': 'Pulumi is not installed',
  'test/aws/describe-with-services.ts':
    'the toolchain of an emulator is not installed; with CI set the tests fail instead',
  'test/infra/sandbox.aws.test.ts': 'the machine forbids user namespaces',
  'test/permissions/superfluous-permissions.aws.test.ts': 'only single test files run',
  'test/e2e/toolchains.ts':
    'the toolchain of a language is not installed; with CI set the tests fail instead',
}
const columnsMax = 100
/** The maximum width of a line with a text literal, because a search must find a whole sentence. */
const columnsOfTextMax = 180

describe('house rules', () => {
  test('no line outside of tests exceeds the maximum width', () => {
    const wide = code.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) =>
        !isTest(path) && isWide(line) ? [`${path}:${index + 1}`] : [],
      ),
    )
    expect(wide).toEqual([])
  })

  test('the entry of a function has at most 30 lines', () => {
    const long = code.filter(
      ({ path, lines }) => /^functions\/(?:[^/]+\/)+main\.ts$/.test(path) && lines.length > 30,
    )
    expect(long.map(({ path }) => path)).toEqual([])
  })

  test('files are named after their contents', () => {
    const bad = code.filter(({ path }) => {
      const name = path.split('/').at(-1) ?? ''
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.(full|aws|nightly))?(\.(test|config|fixture))?\.(tsx?|mjs)$/.test(
          name,
        ) || genericName.test(name)
      )
    })
    expect(bad.map(({ path }) => path)).toEqual([])
  })

  test('engine and handlers wait only by their clock', () => {
    const timers = /\b(?:set|clear)(?:Timeout|Interval|Immediate)\b|node:timers|process\.nextTick/
    const bad = code.flatMap(({ path, lines }) =>
      /^(?:functions|local|shared\/engine)\//.test(path) && !isTest(path)
        ? lines.flatMap((line, index) => (timers.test(line) ? [`${path}:${index + 1}`] : []))
        : [],
    )
    expect(bad).toEqual([])
  })

  test('no file re-exports another one with `export *`', () => {
    const barrels = code.filter(({ text }) => /^export \*/m.test(text))
    expect(barrels.map(({ path }) => path)).toEqual([])
  })

  test('no file disables a compiler or lint check', () => {
    const directives = ['@ts-' + 'ignore', '@ts-' + 'nocheck', '@ts-' + 'expect-error']
    const marks = new RegExp(`${directives.join('|')}|(oxlint|eslint)-dis` + 'able')
    const bad = code.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) =>
        path !== 'test/house/rules.test.ts' && marks.test(line) ? [`${path}:${index + 1}`] : [],
      ),
    )
    expect(bad).toEqual([])
  })

  test('no code is unfinished, focused, or skipped without a reason', () => {
    const marks = new RegExp(
      ['TODO', 'FIXME', 'XXX', 'HACK'].map(mark => `\\b${mark}\\b`).join('|'),
    )
    const focused = /\b(describe|test|it)(\.\w+)*\.(only|todo|skip|fails)\b/
    const conditional = /\b(describe|test|it)(\.\w+)*\.(skipIf|runIf)\b|\bcontext\.skip\b/
    const bad = code.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) =>
        path !== 'test/house/rules.test.ts' &&
        (marks.test(line) ||
          focused.test(line) ||
          (conditionalTests[path] === undefined && conditional.test(line)))
          ? [`${path}:${index + 1}`]
          : [],
      ),
    )
    expect(bad).toEqual([])
  })

  test('pure folders use neither clock nor random numbers', () => {
    const pure =
      /^shared\/(names|values|state|records|journal|engine\/graph|engine\/generator|providers\/terraform\/(values|plan))\//
    const bad = code.filter(
      ({ path, text }) =>
        pure.test(path) &&
        !isTest(path) &&
        /\b(Date\.now|new Date\(\)|Math\.random|randomUUID|randomBytes|setTimeout|setInterval)\b/.test(
          text,
        ),
    )
    expect(bad.map(({ path }) => path)).toEqual([])
  })

  test('no committed file names a folder of a developer machine', () => {
    // The texts are in two parts, because otherwise this file would match.
    const place = new RegExp(
      ['/ro' + 'ot/', '/wo' + 'rk/', '/ho' + 'me/[a-z]+/', '/Us' + 'ers/'].join('|'),
    )
    const bad = listSources(
      /\.(tsx?|mjs|md|json|yaml|sh|css|html)$|^\.ci\/run$|^cli\/antichain$/,
    ).flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => (place.test(line) ? [`${path}:${index + 1}`] : [])),
    )
    expect(bad).toEqual([])
  })

  test('the versions of dependencies are exact', () => {
    const bad = listSources(/(^|\/)package\.json$/).flatMap(({ path, text }) => {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as Record<
        string,
        Record<string, string>
      >
      return Object.entries({ ...dependencies, ...devDependencies })
        .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
        .map(([name, version]) => `${path}: ${name} ${version}`)
    })
    expect(bad).toEqual([])
  })
})

const genericName =
  /^index\.tsx?$|(^|-)(utils?|helpers?|common|types?|misc|impl|service|manager|interfaces?)\.tsx?$/

/** Reports whether a line is too wide. Text literals do not count, up to a maximum. */
function isWide(line: string): boolean {
  if (line.length <= columnsMax) return false
  const bare = line.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, '')
  return bare.length > columnsMax || line.length > columnsOfTextMax
}
