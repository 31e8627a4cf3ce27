import { rmSync } from 'node:fs'
import semver from 'semver'
import { createError } from '../../shared/errors/error.ts'
import { listCachedPlugins } from '../../shared/providers/plugins/cached-plugins.ts'
import {
  formatSourceAddress,
  parseSourceAddress,
} from '../../shared/providers/terraform/install/source-address.ts'
import { terraformKind } from '../../shared/runtime/plugins/plugin-source-name.ts'
import type { Handler } from '../arguments/handler.ts'
import { findUserPluginCache, requirePluginKind } from '../plugins/plugin-command-tools.ts'
import { listTerraformProviders } from '../plugins/terraform-providers.ts'
import { confirm } from '../session/session.ts'

/** `plugin rm`: removes plugins from the cache. Throws CLI_USAGE, CONFIRMATION_DECLINED. */
export const removePlugins: Handler = async (session, flags, [kindText, name, range]) => {
  if (kindText === undefined && !flags.isSet('all'))
    throw createError('CLI_USAGE', "please pass --all if you'd like to remove all plugins")
  const kind =
    kindText === undefined || kindText === terraformKind ? kindText : requirePluginKind(kindText)
  if (range !== undefined && semver.validRange(range) === null)
    throw createError('CLI_USAGE', `invalid plugin version: ${range}`)
  const installedPlugins = [
    ...listCachedPlugins(findUserPluginCache(session)),
    ...listTerraformProviders(session).map(({ source, ...provider }) => ({
      ...provider,
      name: source,
      kind: terraformKind,
    })),
  ]
  const selectedName =
    kind === terraformKind && name !== undefined
      ? formatSourceAddress(parseSourceAddress(name))
      : name
  const selectedPlugins = installedPlugins.filter(
    plugin =>
      (kind === undefined || plugin.kind === kind) &&
      (selectedName === undefined || plugin.name === selectedName) &&
      (range === undefined || semver.satisfies(plugin.version, range, { includePrerelease: true })),
  )
  if (selectedPlugins.length === 0) {
    session.printToStderr('no plugins found to uninstall')
    return 0
  }
  const names = selectedPlugins.map(plugin => `${plugin.kind} ${plugin.name}-${plugin.version}`)
  const text = `This removes ${names.join(', ')} from the cache.`
  if (!(await confirm(session, flags.isSet('yes'), { text, answer: 'yes' })))
    throw createError('CONFIRMATION_DECLINED', 'nothing was removed')
  for (const [index, { folder }] of selectedPlugins.entries()) {
    rmSync(folder, { recursive: true, force: true })
    // Antichain and Pulumi create these files next to the folder of a plugin.
    for (const suffix of ['.lock', '.partial', '.lastused'])
      rmSync(`${folder}${suffix}`, { force: true })
    session.print(`removed: ${names[index] ?? ''}`)
  }
  return 0
}
