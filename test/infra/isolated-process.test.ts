import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { forwardLines } from '../../infra/local-cloud/isolated-process.ts'

test('forwardLines joins a character whose bytes arrive in two chunks', async () => {
  const stream = new PassThrough()
  const lines: string[] = []
  forwardLines(stream, line => lines.push(line))
  const bytes = Buffer.from('price: 5 €\n\nend')
  // The second of the three bytes of `€`.
  const middle = bytes.indexOf(0x82)
  stream.write(bytes.subarray(0, middle))
  stream.end(bytes.subarray(middle))
  await finished(stream)
  expect(lines).toEqual(['price: 5 €', 'end'])
})
