import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { stackIdOf } from '../records/ids.ts'
import { parseBackendMeta, stackKeysOf, stackOfKey } from './backend-keys.ts'
import {
  parseCheckpoint,
  parseCheckpointFile,
  printCheckpoint,
  printEmptyCheckpoint,
} from './checkpoint-file.ts'
import { decompress, decompressGzip } from './compression.ts'
import { createLockedError, parseLock, printLock } from './lock-file.ts'
import { parseUpdateInfo, printUpdateInfo } from './update-info.ts'

/** Backends that Pulumi 3.274.1 wrote. */
const folder = join(import.meta.dirname, '../../test/fixtures/backends')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const read = (file: string): Uint8Array => decompress(readFileSync(join(folder, file)), file)

describe('the objects of Pulumi', () => {
  const isCheckpoint = (file: string): boolean => /(stacks|backups|\.checkpoint)/.test(file)
  const checkpoints = files.filter(file => /\.json/.test(file) && isCheckpoint(file))
  test.each(checkpoints)('the checkpoint %s is written again byte for byte', file => {
    const bytes = read(file)
    const { stack } = (JSON.parse(textOf(bytes)) as { checkpoint: { stack: string } }).checkpoint
    expect(textOf(printCheckpoint(stack, parseCheckpoint(bytes, file)))).toBe(textOf(bytes))
  })

  test.each(files.filter(file => file.includes('.history.json')))(
    'the history entry %s is written again byte for byte',
    file => {
      expect(textOf(printUpdateInfo(parseUpdateInfo(read(file), file)))).toBe(textOf(read(file)))
    },
  )

  test('the checkpoint of a new stack has no state', () => {
    const bytes = printEmptyCheckpoint('organization/shop/dev')
    expect(textOf(bytes)).toBe('{"version":0,"checkpoint":{"stack":"organization/shop/dev"}}')
    expect(parseCheckpoint(bytes, 'key')).toEqual({ version: 3, deployment: null })
  })

  test('a checkpoint keeps the fields that this version does not know', () => {
    const latest =
      '{"manifest":{"time":"2026-01-01T00:00:00Z","magic":"","version":""},"metadata":{}}'
    for (const text of [
      `{"version":3,"checkpoint":{"stack":"dev","config":{"a:b":"c"},"latest":${latest}},"later":[1]}`,
      '{"version":3,"checkpoint":{"stack":"dev","later":{"x":null}},"later":1}',
    ]) {
      const { envelope, checkpointFields } = parseCheckpointFile(Buffer.from(text), 'key')
      expect(textOf(printCheckpoint('dev', envelope, checkpointFields))).toBe(text)
    }
    const bare = `{"stack":"dev","later":1,"latest":${latest}}`
    const { envelope, checkpointFields } = parseCheckpointFile(Buffer.from(bare), 'key')
    expect(textOf(printCheckpoint('dev', envelope, checkpointFields))).toBe(
      `{"version":3,"checkpoint":${bare}}`,
    )
  })

  test('a lock keeps its bytes, and the error of a locked stack names its holder and age', () => {
    const text =
      '{"pid":7,"username":"eve","hostname":"laptop","timestamp":"2026-01-02T03:04:05.6789+01:00"}'
    const lock = parseLock(Buffer.from(text), 'key')
    expect(textOf(printLock(lock))).toBe(text)
    const { code, message } = createLockedError('dev', lock, Date.parse('2026-01-02T02:14:05Z'))
    expect([code, message]).toEqual([
      'BACKEND_LOCKED',
      expect.stringMatching(/eve@laptop \(process 7\) since 2026-.*, 9 minutes ago/),
    ])
  })
})

describe('damaged objects', () => {
  const good = read('project/.pulumi/stacks/shop/dev.json')

  test('a checkpoint that is truncated anywhere is refused', () => {
    for (let length = 0; length < good.length; length += 7)
      expect(() => parseCheckpoint(good.subarray(0, length), 'key')).toThrow(
        expect.objectContaining({ code: 'BACKEND_INVALID' }),
      )
  })

  test('damaged bytes and JSON that is not a checkpoint are refused', () => {
    const flipped = Uint8Array.from(good)
    flipped[good.length - 3] = 0xff
    const packed = readFileSync(join(folder, 'project/.pulumi/stacks/shop/prod.json.gz'))
    const bad = [flipped, packed.subarray(0, 90), '[]', '7', '{"version":3}', '{"version":"3"}']
    for (const bytes of bad)
      expect(() => parseCheckpoint(Buffer.from(bytes), 'key')).toThrow(
        expect.objectContaining({ code: 'BACKEND_INVALID' }),
      )
  })

  test('an unknown version and an unknown feature are refused with an error that names them', () => {
    for (const [text, name] of [
      ['{"version":5,"checkpoint":{"stack":"a","latest":{}}}', /\b5\b/],
      ['{"version":4,"features":["warp"],"checkpoint":{"stack":"a","latest":{}}}', /warp/],
    ] as const)
      expect(() => parseCheckpoint(Buffer.from(text), 'key')).toThrow(
        expect.objectContaining({
          code: 'STATE_TOO_NEW',
          message: expect.stringMatching(name) as string,
        }),
      )
  })

  test('a checkpoint and a history entry with thousands of levels are refused', () => {
    const deep = `${'['.repeat(5_000)}1${']'.repeat(5_000)}`
    const entry = `{"kind":"update","startTime":1,"result":"succeeded","config":{"a:b":${deep}}}`
    const expectRefusal = (read: () => unknown): void =>
      expect(read).toThrow(
        expect.objectContaining({
          code: 'BACKEND_INVALID',
          message: expect.stringContaining('nested deeper') as string,
        }),
      )
    expectRefusal(() => parseUpdateInfo(Buffer.from(entry), 'key'))
    expectRefusal(() => parseCheckpoint(Buffer.from(`{"version":3,"later":${deep}}`), 'key'))
  })

  test('a history entry whose times are no dates is refused', () => {
    const parseTimes = (startTime: string, endTime: string) => {
      const fields = `"startTime":${startTime},"endTime":${endTime}`
      return parseUpdateInfo(Buffer.from(`{"kind":"update",${fields},"result":"failed"}`), 'key')
    }
    // The zero time of Go is in the year 1.
    expect(parseTimes('-62135596800', '8640000000000')).toMatchObject({ startTime: -62135596800 })
    for (const [startTime, endTime] of [
      ['1e308', '1'],
      ['1', '8640000000001'],
      ['0.5', '1'],
    ] as const)
      expect(() => parseTimes(startTime, endTime)).toThrow(
        expect.objectContaining({ code: 'BACKEND_INVALID' }),
      )
  })

  test('a damaged blob of a journal copy is refused with its key', async () => {
    const blob = gzipSync('{"a":1}').subarray(0, 12)
    await expect(decompressGzip(blob, 'the key')).rejects.toMatchObject({
      code: 'BACKEND_INVALID',
      message: expect.stringContaining('the key') as string,
    })
    const whole = await decompressGzip(gzipSync('{"a":1}'), 'the key')
    expect(textOf(whole)).toBe('{"a":1}')
  })

  test('metadata without a version or with a later version is refused', () => {
    expect(parseBackendMeta(Buffer.from('version: 0\n'))).toBe('legacy')
    const expectRefusal = (text: string, code: string): void =>
      expect(() => parseBackendMeta(Buffer.from(text))).toThrow(expect.objectContaining({ code }))
    expectRefusal('', 'BACKEND_INVALID')
    expectRefusal('version: 2\n', 'BACKEND_TOO_NEW')
  })
})

test('only keys of checkpoints with valid names belong to stacks', () => {
  const dev = stackIdOf('shop', 'dev')
  const { checkpoint } = stackKeysOf('project', dev)
  for (const suffix of ['', '.gz', '.zst'])
    expect(stackOfKey('project', checkpoint + suffix)).toBe(dev)
  for (const key of [
    ...['.bak', '.attrs', '.1795648360255712162'].map(suffix => checkpoint + suffix),
    '.pulumi/stacks/dev.json',
    '.pulumi/stacks/a/b/c.json',
    '.pulumi/stacks/a/b c.json',
    '.pulumi/history/shop/dev.json',
  ])
    expect(stackOfKey('project', key)).toBeUndefined()
  expect(stackOfKey('legacy', '.pulumi/stacks/dev.json')).toBe(stackIdOf('-', 'dev'))
})
