import { Command } from 'commander'
import { expect, test } from 'vitest'
import { normalizeSwitches } from './normalize-switches.ts'

function createRoot(): Command {
  const root = new Command('antichain').option('-C, --cwd <folder>').option('--verbose')
  root
    .command('import')
    .option('-y, --yes')
    .option('--no-protect')
    .option('--out <file>')
    .option('--show-secrets [boolean]')
  const editCommand = root.command('stack').command('webhook').command('edit').alias('change')
  editCommand.option('--active').option('--no-active')
  root.command('run').argument('[args...]').allowUnknownOption()
  return root
}

test.each([
  ['a switch that is on', 'import --yes=true --verbose=1', 'import --yes --verbose'],
  ['a switch that is off', 'import --yes=false --verbose=F x', 'import x'],
  ['a default that is off', 'import --protect=false', 'import --no-protect'],
  ['a default that is on', 'import --protect --protect=True x', 'import x'],
  ['both forms', 'stack webhook change --active=false', 'stack webhook change --no-active'],
  ['both forms', 'stack webhook edit --active=t', 'stack webhook edit --active'],
  ['a text with a value', '-C dir import --out=true', '-C dir import --out=true'],
  ['an optional value', 'import --show-secrets=true', 'import --show-secrets=true'],
  ['arguments of a plugin', 'run x --yes=true', 'run x --yes=true'],
  ['arguments after two dashes', 'import -- --yes=true', 'import -- --yes=true'],
])('%s: %s becomes %s', (_, text, expected) => {
  expect(normalizeSwitches(createRoot(), text.split(' ')).join(' ')).toBe(expected)
})

test('a value that is not true or false is refused', () => {
  expect(() => normalizeSwitches(createRoot(), ['import', '--yes=maybe'])).toThrow(
    expect.objectContaining({
      code: 'CLI_USAGE',
      message: "--yes is a switch: its value is true or false, not 'maybe'",
    }),
  )
})
