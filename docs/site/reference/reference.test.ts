import { expect, test } from 'vitest'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { routes } from '../../../functions/api/routes-table.ts'
import { catalogue } from '../../../shared/errors/catalogue.ts'
import { formatShape } from './format-shape.ts'
import { renderCommands } from './render-commands.ts'
import { listMessages, renderMessages } from './render-messages.ts'
import { renderRoutes } from './render-routes.ts'
import { renderSettings, settings } from './render-settings.ts'

const repositoryFolder = resolve(import.meta.dirname, '../../..')

test('the reference of commands has options, arguments and examples of every command', () => {
  const pages = renderCommands()
  const deployments = pages.get('reference/commands-deployments.md') ?? ''
  expect(deployments).toContain('## antichain up\n')
  expect(deployments).toContain('| `-y, --yes` |')
  expect(deployments).toContain('# Preview, confirm, deploy\nantichain up\n')
  const stacks = pages.get('reference/commands-stacks.md') ?? ''
  expect(stacks).toMatch(/## antichain state pending import\n[^#]*\| Argument \| Meaning \|/)
  expect(pages.get('reference/commands-of-all.md')).toContain('| `schema` |')
})

test('the reference of routes has every route with its role and shapes', () => {
  const page = renderRoutes()
  for (const { method, path } of routes) expect(page).toContain(`### \`${method} ${path}\`\n`)
  // The generator of the site reads braces at the end of a heading as attributes.
  expect(page).not.toMatch(/^#.*\}$/m)
  expect(page).toMatch(/### `GET \/v1\/whoami`\n[^#]*\| Role \| `read`, for any stack \|/)
})

test('a shape is written in the notation of TypeScript', () => {
  expect(
    formatShape({
      type: 'object',
      properties: {
        a: { type: 'array', items: { enum: ['x', 'y'] } },
        b: { type: 'object', additionalProperties: { type: 'number' } },
        c: {},
      },
      required: ['a'],
    }),
  ).toBe('{ a: ("x" | "y")[], b?: { [name]: number }, c?: … }')
})

test('the causes of an error are the messages of the code that throws it', () => {
  const sources = [
    "throw createError('A_B', 'it\\'s bad')",
    "createError(\n  'A_B',\n  `the ${name} is bad`)",
  ]
  expect(listMessages(sources).get('A_B')).toEqual(["it's bad", 'the … is bad'])
  const page = renderMessages(repositoryFolder)
  for (const code of Object.keys(catalogue)) expect(page).toContain(`## ${code}\n`)
})

test('the reference of configuration has every key that Antichain reads', () => {
  const sources = ['shared/programs/config', 'shared/runtime/credentials'].flatMap(folder =>
    readdirSync(join(repositoryFolder, folder))
      .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map(name => readFileSync(join(repositoryFolder, folder, name), 'utf8')),
  )
  const keys = sources.flatMap(text =>
    [...text.matchAll(/Key = '(antichain:\w+)'/g)].map(([, key]) => key),
  )
  expect(new Set(settings.map(([key]) => key))).toEqual(new Set(keys))
  expect(renderSettings()).toContain('concurrency?: integer')
})
