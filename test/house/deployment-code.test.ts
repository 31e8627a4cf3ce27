import { readFileSync } from 'node:fs'
import { join, normalize, dirname } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from './sources.ts'

/**
 * Returns the files and packages that a file loads by static imports, directly or indirectly.
 * Imports of types do not count.
 */
function listStaticImports(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>()
  const visit = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    if (!file.endsWith('.ts')) return
    const text = readFileSync(join(projectFolder, file), 'utf8')
    const importPattern = /^(?:import|export) (?!type\b)[^']*?from '([^']+)'|^import '([^']+)'/gm
    for (const [, source, bareSource] of text.matchAll(importPattern)) {
      const name = source ?? bareSource ?? ''
      visit(name.startsWith('.') ? normalize(join(dirname(file), name)) : name)
    }
  }
  visit(entry)
  return loaded
}

test('a deployment loads the code of Terraform, archives, the API and HTTP only on demand', () => {
  const loaded = [...listStaticImports('local/lazy-deployment-handlers.ts')]
  expect(loaded).toContain('shared/providers/plugins/plugin-host.ts')
  const unneeded =
    /^(shared\/providers\/terraform\/(client|driver|install)|functions\/api|proto\/gen\/terraform)|^(tar|yauzl|hono|node:http)$/
  expect(loaded.filter(file => unneeded.test(file))).toEqual([])
})
