import { expect, test } from 'vitest'
import { hasLocalPoetrySource, hasLocalUvSource } from './python-lock-files.ts'

test.each([
  ['{ virtual = "." }', false],
  ['{ registry = "https://pypi.org/simple" }', false],
  ['{ git = "https://example.com/lib.git?rev=1#00" }', false],
  ['{ registry = "../wheels" }', true],
  ['{ directory = "libs/common" }', true],
  ['{ path = "lib-1.0-py3-none-any.whl" }', true],
  ['{ editable = "." }', true],
])('the source %s in a lock file of uv is local: %s', (source, isLocal) => {
  const lock = `[[package]]\nname = "a"\nsource = { virtual = "." }\n`
  expect(hasLocalUvSource(`${lock}\n[[package]]\nname = "b"\nsource = ${source}\n`)).toBe(isLocal)
})

test.each([
  ['git', false],
  ['legacy', false],
  ['url', false],
  ['directory', true],
  ['file', true],
])('a source of the type %s in a lock file of poetry is local: %s', (type, isLocal) => {
  expect(hasLocalPoetrySource(`[package.source]\ntype = "${type}"\nurl = "lib"\n`)).toBe(isLocal)
})
