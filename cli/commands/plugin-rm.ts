import { rmSync } from 'node:fs'
import semver from 'semver'
import { error } from '../../shared/errors/error.ts'
import { allCached } from '../../shared/providers/plugins/cache.ts'
import type { Handler } from '../attach.ts'
import { cacheOf, kindOf } from '../plugin-cache.ts'
import { confirmed } from '../session.ts'

/** `plugin rm`: removes plugins from the cache. Throws CLI_USAGE, CONFIRMATION_DECLINED. */
export const pluginRm: Handler = async (session, flags, [kindText, name, range]) => {
  if (kindText === undefined && !flags.is('all'))
    throw error('CLI_USAGE', "please pass --all if you'd like to remove all plugins")
  const kind = kindText === undefined ? undefined : kindOf(kindText)
  if (range !== undefined && semver.validRange(range) === null)
    throw error('CLI_USAGE', `invalid plugin version: ${range}`)
  const going = allCached(cacheOf(session)).filter(
    plugin =>
      (kind === undefined || plugin.kind === kind) &&
      (name === undefined || plugin.name === name) &&
      (range === undefined || semver.satisfies(plugin.version, range, { includePrerelease: true })),
  )
  if (going.length === 0) {
    session.warn('no plugins found to uninstall')
    return 0
  }
  const names = going.map(plugin => `${plugin.kind} ${plugin.name}-${plugin.version}`)
  const text = `This removes ${names.join(', ')} from the cache.`
  if (!(await confirmed(session, flags.is('yes'), { text, answer: 'yes' })))
    throw error('CONFIRMATION_DECLINED', 'nothing was removed')
  for (const [at, { folder }] of going.entries()) {
    rmSync(folder, { recursive: true, force: true })
    for (const beside of ['.lock', '.partial', '.lastused'])
      rmSync(`${folder}${beside}`, { force: true })
    session.print(`removed: ${names[at] ?? ''}`)
  }
  return 0
}
