/**
 * Compares our codecs and equality with the Go library that Terraform uses, value by value. A
 * difference in any codec, in the order of sets, in rounding or in equality fails the test.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { CtyType } from '../../shared/providers/terraform/values/type-system.ts'
import { type CtyValue, isWhollyKnown } from '../../shared/providers/terraform/values/cty-value.ts'
import { decodeCtyJson } from '../../shared/providers/terraform/values/decode-json.ts'
import { decodeMsgpack } from '../../shared/providers/terraform/values/decode-msgpack.ts'
import { encodeCtyJson } from '../../shared/providers/terraform/values/encode-json.ts'
import { encodeMsgpack } from '../../shared/providers/terraform/values/encode-msgpack.ts'
import { areEqualRaw } from '../../shared/providers/terraform/values/raw-equality.ts'
import { compareSemantically } from '../../shared/providers/terraform/values/semantic-equality.ts'
import { formatTypeJson } from '../../shared/providers/terraform/values/type-json.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { type ValueDescription, buildValue, describeValue } from './value-description.fixture.ts'
import { type ValuePair, valuePairs } from './cty.fixture.ts'

const pairCount = process.env['ANTICHAIN_TIER'] === 'nightly' ? 100_000 : 2_000
const batchSize = 2_000
const source = join(import.meta.dirname, '../providers/cty')
const folder = mkdtempSync(join(tmpdir(), 'cty-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The answer of the Go program to a request. */
interface LibraryAnswer {
  readonly msgpack: string | null
  readonly json: string
  readonly fromMsgpack?: ValueDescription
  readonly fromJson?: ValueDescription
  readonly rawEqual: boolean
  readonly equal: 'true' | 'false' | 'unknown'
  readonly msgpackError?: string
  readonly jsonError?: string
  readonly error?: string
}

describeWithCommands('values of the Go library', [['go', 'version']], () => {
  test('codecs and equality agree with the Go library', () => {
    const program = join(folder, 'cty')
    execFileSync('go', ['build', '-o', program, '.'], { cwd: source, stdio: 'inherit' })
    for (let comparedCount = 0; comparedCount < pairCount; comparedCount += batchSize) {
      const seed = Math.floor(Math.random() * 2 ** 31)
      const pairs = fc.sample(valuePairs, { numRuns: batchSize, seed })
      const output = execFileSync(program, {
        input: pairs.map(toRequest).join('\n'),
        maxBuffer: 2 ** 30,
        encoding: 'utf8',
      })
      const answers = output
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as LibraryAnswer)
      expect(answers).toHaveLength(pairs.length)
      const failures = pairs
        .map((pair, index) => ({
          differences: compareWithLibrary(pair, answers[index] as LibraryAnswer),
          request: toRequest(pair),
        }))
        .filter(({ differences }) => differences.length > 0)
        // The shortest one is the easiest to understand.
        .toSorted((a, b) => a.request.length - b.request.length)
      expect(failures.length, `seed ${seed}, shortest ${JSON.stringify(failures[0])}`).toBe(0)
    }
  }, 1_200_000)
})

function toRequest({ declared, first, second }: ValuePair): string {
  return JSON.stringify({
    declared: JSON.parse(formatTypeJson(declared)),
    first: describeValue(first),
    second: describeValue(second),
    msgpack: Buffer.from(encodeMsgpack(first, declared)).toString('base64'),
    json: toJsonIfPossible(first, declared),
  })
}

/** Returns an empty text for values that JSON cannot express. */
function toJsonIfPossible(value: CtyValue, declared: CtyType): string {
  try {
    return encodeCtyJson(value, declared)
  } catch {
    return ''
  }
}

function compareWithLibrary(pair: ValuePair, answer: LibraryAnswer): readonly string[] {
  const { declared, first, second } = pair
  const ours = Buffer.from(encodeMsgpack(first, declared))
  const checks: readonly (readonly [string, boolean])[] = [
    [`an error: ${answer.error}`, answer.error === undefined],
    [
      `bytes ${answer.msgpack}, ours ${ours.toString('base64')}`,
      ours.equals(Buffer.from(answer.msgpack ?? '', 'base64')),
    ],
    [`JSON ${answer.json}`, toJsonIfPossible(first, declared) === answer.json],
    ['structural equality', areEqualRaw(first, second) === answer.rawEqual],
    [`semantic equality: ${answer.equal}`, isSameEquality(pair, answer.equal)],
  ]
  return [
    ...checks.flatMap(([name, isEqual]) => (isEqual ? [] : [name])),
    ...compareDecodings(
      () => decodeMsgpack(ours, declared),
      answer.fromMsgpack,
      answer.msgpackError,
    ),
    ...(answer.json === ''
      ? []
      : compareDecodings(
          () => decodeCtyJson(answer.json, declared),
          answer.fromJson,
          answer.jsonError,
        )),
  ]
}

/**
 * Compares our semantic equality with that of the library. The library compares parts in the random
 * order of a Go map, and ends at the first unknown one. Its result may be `unknown` or `false` then.
 * For sets with unknown parts it is `false` where ours is unknown. The planner only asks whether
 * values are equal, so a result for values with unknown parts must agree about that.
 */
function isSameEquality({ first, second }: ValuePair, libraryResult: string): boolean {
  const result = String(compareSemantically(first, second) ?? 'unknown')
  return isWhollyKnown(first) && isWhollyKnown(second)
    ? result === libraryResult
    : (result === 'true') === (libraryResult === 'true')
}

/** Returns the decoded value, or the message of the error if the decoder refuses. */
function decodeOrMessage(decode: () => CtyValue): CtyValue | string {
  try {
    return decode()
  } catch (thrown) {
    return messageOf(thrown)
  }
}

/**
 * Compares our decoding with that of the library. They agree if both have equal values or both
 * refuse. Both refuse a collection whose elements differ in their types.
 */
function compareDecodings(
  decode: () => CtyValue,
  description: ValueDescription | undefined,
  refusal = '',
): readonly string[] {
  const ours = decodeOrMessage(decode)
  if (description === undefined)
    return typeof ours === 'string' ? [] : [`the library refuses: ${refusal}`]
  if (typeof ours === 'string') return [`only we refuse: ${ours}`]
  return areEqualRaw(ours, buildValue(description))
    ? []
    : [`the library decodes ${JSON.stringify(description)}`]
}
