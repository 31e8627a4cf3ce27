import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ErrorCode } from '../../../shared/errors/catalogue.ts'
import {
  type BadInputBench,
  createBadInputBench,
  recordedExport,
  toCheckpoint,
  writeCheckpoint,
} from './bad-input-bench.ts'
import { type StateDamage, thingUrn } from './create-damage.ts'
import {
  ciphertextDamages,
  compressedDamages,
  envelopeDamages,
  foreignDamages,
  integrityDamages,
  textDamages,
  valueDamages,
} from './state-damages.ts'

let bench: BadInputBench

beforeAll(() => {
  bench = createBadInputBench()
})

beforeEach(() => bench.leaveBackend())

afterAll(async () => {
  bench.leaveBackend()
  expect((await bench.run('stack', 'ls', '--json')).out).toBe('[]\n')
  bench.remove()
})

const key = '.pulumi/stacks/golden/dev.json'
const stackArgs = {
  ls: ['stack', 'ls'],
  export: ['stack', 'export', '-s', 'dev'],
  outputs: ['stack', 'output', '-s', 'dev', '--show-secrets'],
  preview: ['preview', '-s', 'dev'],
  up: ['up', '-s', 'dev', '--yes', '--skip-preview'],
  destroy: ['destroy', '-s', 'dev', '--yes', '--skip-preview'],
  edit: ['state', 'edit', '-s', 'dev', '--yes', '--editor', 'true'],
  rm: ['stack', 'rm', 'dev', '--yes'],
} as const

/** The code of a damage in a checkpoint, whose syntax is that of an object of a backend. */
const codeOf = ({ code }: StateDamage): ErrorCode =>
  code === 'STATE_INVALID' ? 'BACKEND_INVALID' : code

/** Imports the stack from the backend, which must be refused. */
async function refuseImport(code: ErrorCode, pattern: string | RegExp): Promise<void> {
  const args = ['stack', 'import', '--from', `file://${bench.backend}/golden/dev`]
  await bench.refuse(args, code, [pattern])
}

test.each([...textDamages, ...envelopeDamages])(
  'an import refuses a checkpoint that is $what, and names its object',
  async row => {
    writeCheckpoint(bench, row.damage(toCheckpoint(recordedExport)))
    const pattern = typeof row.pattern === 'string' ? '' : row.pattern.source
    await refuseImport(codeOf(row), new RegExp(`${key}.*(${pattern})`))
  },
)

test.each(compressedDamages)(
  'a deployment and an import refuse a checkpoint that is $what, and name its object',
  async row => {
    rmSync(join(bench.backend, key), { force: true })
    bench.write(`backend/${key}${row.suffix}`, row.damage(toCheckpoint(recordedExport)))
    await refuseImport(row.code, `${key}.gz of the backend ${row.pattern}`)
    bench.useBackend()
    await bench.refuse(stackArgs.up, row.code, [`${key}.gz`])
  },
)

test.each([...integrityDamages, ...valueDamages])(
  'a deployment and an import refuse a checkpoint $what, and the backend stays unchanged',
  async row => {
    writeCheckpoint(bench, row.damage(toCheckpoint(recordedExport)))
    await refuseImport(row.code, row.pattern)
    bench.useBackend()
    await bench.refuse(stackArgs.up, row.code, [row.pattern])
  },
)

test.each(ciphertextDamages)(
  'a deployment refuses a checkpoint $what, and the backend stays unchanged',
  async row => {
    writeCheckpoint(bench, row.damage(toCheckpoint(recordedExport)))
    bench.useBackend()
    await bench.refuse(stackArgs.up, row.code, [row.pattern])
  },
)

test.each(foreignDamages)('an import refuses a checkpoint $what', async row => {
  writeCheckpoint(bench, row.damage(toCheckpoint(recordedExport)))
  await refuseImport(row.code, row.pattern)
})

test.each(envelopeDamages.filter(({ code }) => code === 'STATE_TOO_NEW'))(
  'a deployment refuses a checkpoint that is $what, and names its object',
  async row => {
    writeCheckpoint(bench, row.damage(toCheckpoint(recordedExport)))
    bench.useBackend()
    await bench.refuse(stackArgs.up, row.code, [key, row.pattern])
  },
)

test.each(Object.entries(stackArgs))(
  'stack %s refuses a truncated checkpoint, and lists no other stack as damaged',
  async (name, args) => {
    writeCheckpoint(bench, toCheckpoint(recordedExport).slice(0, 500))
    bench.write('backend/.pulumi/stacks/golden/prod.json', '{"version":0,"checkpoint":{}}')
    bench.useBackend()
    await bench.refuse(args, 'BACKEND_INVALID', [
      `${key} of the backend is invalid: it is truncated: it ends at line`,
      '.bak copy',
      ...(name === 'ls' ? [/^prod/m] : []),
    ])
  },
)

test('a deployment refuses a state with an invalid URN, and names the URN', async () => {
  const checkpoint = toCheckpoint(recordedExport).replace(
    `"urn": "${thingUrn}"`,
    '"urn": "nonsense"',
  )
  writeCheckpoint(bench, checkpoint)
  await refuseImport('STATE_INVALID', "'nonsense'")
  bench.useBackend()
  await bench.refuse(stackArgs.up, 'STATE_INTEGRITY', ["'nonsense' is not a valid URN"])
  const repairArgs = ['state', 'repair', '-s', 'dev', '--yes']
  await bench.refuse(repairArgs, 'STATE_INTEGRITY', [/repaired: 'nonsense'/, 'stack export'])
})

test('the error of a damaged secret output names the output', async () => {
  const checkpoint = toCheckpoint(recordedExport).replace(
    'v1:oG0XrGeS0cjZtI8D:a6',
    'v1:oG0XrGeS0cjZtI8D:b6',
  )
  writeCheckpoint(bench, checkpoint)
  bench.useBackend()
  await bench.refuse(stackArgs.outputs, 'SECRETS_MALFORMED', ["cannot decrypt the output 'v'"])
  const plaintext = toCheckpoint(recordedExport).replace(
    /"ciphertext": "v1:oG0X[^"]*"/,
    '"plaintext": "{hid"',
  )
  writeCheckpoint(bench, plaintext)
  const { err } = await bench.run(...stackArgs.outputs)
  expect(err).toContain("error[SECRETS_MALFORMED]: cannot decrypt the output 'v': a secret in the")
  expect(err).not.toContain('{hid')
})
