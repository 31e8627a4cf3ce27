import { describe, expect, test } from 'vitest'
import { sources } from './sources.ts'

const code = sources(/\.(ts|mjs)$/)
const isTest = (path: string): boolean => /\.test\.ts$|^test\//.test(path)

/** Files that may be longer, each with its reason. */
const longFiles: Readonly<Record<string, string>> = {}
const linesMax = 300
const functionLinesMax = 70

describe('house rules', () => {
  test('no file is longer than it may be', () => {
    const long = code.filter(
      ({ path, lines }) =>
        !isTest(path) && lines.length > linesMax && longFiles[path] === undefined,
    )
    expect(long.map(({ path, lines }) => `${path}: ${lines.length}`)).toEqual([])
  })

  test('no function is longer than it may be', () => {
    const long = code
      .filter(({ path }) => !isTest(path))
      .flatMap(({ path, lines }) => longFunctions(lines).map(at => `${path}:${at}`))
    expect(long).toEqual([])
  })

  test('an entry of a function is at most 30 lines', () => {
    const long = code.filter(
      ({ path, lines }) => /^functions\/[^/]+\/main\.ts$/.test(path) && lines.length > 30,
    )
    expect(long.map(({ path }) => path)).toEqual([])
  })

  test('files are named for what they hold', () => {
    const bad = code.filter(({ path }) => {
      const name = path.split('/').at(-1) ?? ''
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.(full|nightly))?(\.(test|config|fixture))?\.(ts|mjs)$/.test(
          name,
        ) || /^(utils?|helpers?|common|types|misc|impl|index)\.ts$/.test(name)
      )
    })
    expect(bad.map(({ path }) => path)).toEqual([])
  })

  test('nothing is left to do, focused or skipped without a reason', () => {
    const marks = new RegExp(
      ['TODO', 'FIXME', 'XXX', 'HACK'].map(mark => `\\b${mark}\\b`).join('|'),
    )
    const focused = /\b(describe|test|it)\.(only|todo|skip)\(/
    const bad = code.flatMap(({ path, lines }) =>
      lines.flatMap((line, at) =>
        path !== 'test/house/rules.test.ts' && (marks.test(line) || focused.test(line))
          ? [`${path}:${at + 1}`]
          : [],
      ),
    )
    expect(bad).toEqual([])
  })

  test('pure folders know neither clock nor chance', () => {
    const pure = /^shared\/(names|values|state|records|journal|engine\/graph|engine\/generator)\//
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

  test("no committed file names a folder of somebody's machine", () => {
    const place = new RegExp(
      ['/ro' + 'ot/', '/wo' + 'rk/', '/ho' + 'me/[a-z]+/', '/Us' + 'ers/'].join('|'),
    )
    const bad = sources(/\.(ts|mjs|md|json|yaml|sh)$|^\.ci\/run$|^cli\/antichain$/).flatMap(
      ({ path, lines }) =>
        lines.flatMap((line, at) => (place.test(line) ? [`${path}:${at + 1}`] : [])),
    )
    expect(bad).toEqual([])
  })

  test('versions of packages are exact', () => {
    const bad = sources(/(^|\/)package\.json$/).flatMap(({ path, text }) => {
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

/** Lines at which functions begin that are too long: from a line with `function` or `=> {` to the brace at its indent. */
function longFunctions(lines: readonly string[]): readonly number[] {
  const found: number[] = []
  lines.forEach((line, at) => {
    const start = /^(\s*)(export )?(async )?(function\b|const \w+ = .*=> \{$)/.exec(line)
    if (start === null) return
    const indent = start[1] ?? ''
    const end = lines.findIndex(
      (other, index) => index > at && (other === `${indent}}` || other === `${indent}},`),
    )
    if (end - at > functionLinesMax) found.push(at + 1)
  })
  return found
}
