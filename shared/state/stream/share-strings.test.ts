import { expect, test } from 'vitest'
import { createStringSharer } from './share-strings.ts'

test('shared strings leave the value of parsed JSON unchanged', () => {
  const text =
    '[{"type":"aws:s3/bucket:Bucket","list":["aws:s3/bucket:Bucket","short",1,null,true]},' +
    '{"1":"a text with an index as key","__proto__":{"":"aws:s3/bucket:Bucket"}}]'
  const json: unknown = JSON.parse(text)
  createStringSharer()(json)
  expect(JSON.stringify(json)).toBe(text)
  expect(Object.keys(Object.prototype)).toEqual([])
})

test('a value with more levels than the call stack can hold causes no error', () => {
  const text = `${'['.repeat(20_000)}"a text that is deep"${']'.repeat(20_000)}`
  expect(() => createStringSharer()(JSON.parse(text))).not.toThrow()
})

test('equal strings of many values need the memory of one', () => {
  const share = createStringSharer()
  const [text, parsed] = [JSON.stringify({ text: 'x'.repeat(1 << 20) }), [] as unknown[]]
  const startBytes = process.memoryUsage().heapUsed
  for (let count = 0; count < 200; count += 1) {
    const json: unknown = JSON.parse(text)
    share(json)
    parsed.push(json)
  }
  expect(parsed).toHaveLength(200)
  // The 200 copies need 200 MiB. The garbage collector may not have freed all of them yet.
  expect(process.memoryUsage().heapUsed - startBytes).toBeLessThan(150 << 20)
})
