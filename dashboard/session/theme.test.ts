import { afterEach, expect, test } from 'vitest'
import { applyTheme, readStoredItem, readTheme } from './theme.ts'

const storages = ['localStorage', 'sessionStorage'] as const

afterEach(() => {
  for (const name of [...storages, 'document']) Reflect.deleteProperty(globalThis, name)
})

/** Defines a global variable whose read calls `read`, as in a browser. */
function defineGlobal(name: string, read: () => unknown): void {
  Object.defineProperty(globalThis, name, { configurable: true, get: read })
}

// A read of the storage outside of the `try` would leave the page blank.
test('a browser that blocks the data of sites has no stored values, and shows the system theme', () => {
  for (const name of storages)
    defineGlobal(name, () => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    })
  const dataset: Record<string, string> = {}
  defineGlobal('document', () => ({ documentElement: { dataset } }))
  expect(storages.map(name => readStoredItem(name, 'antichain.theme'))).toEqual([
    undefined,
    undefined,
  ])
  applyTheme(readTheme())
  expect(dataset).toEqual({ theme: 'system' })
})

test('each storage has its own items, and an unknown theme is ignored', () => {
  defineGlobal('localStorage', () => ({ getItem: (key: string) => `local ${key}` }))
  defineGlobal('sessionStorage', () => ({ getItem: () => null }))
  expect(storages.map(name => readStoredItem(name, 'k'))).toEqual(['local k', undefined])
  expect(readTheme()).toBe('system')
  defineGlobal('localStorage', () => ({ getItem: () => 'dark' }))
  expect(readTheme()).toBe('dark')
})
