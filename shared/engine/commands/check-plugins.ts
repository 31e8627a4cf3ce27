import { isProviderType, providerUrnOf } from '../../names/provider-reference.ts'
import type { PluginHost } from '../../providers/provider.ts'
import { readProviderPlugin, type ProviderPlugin } from '../../providers/provider-inputs.ts'
import type { CommandRun } from './command-run.ts'
import type { Base } from '../deployment/state/base.ts'
import type { Snapshot } from '../../state/snapshot.ts'

/**
 * Returns one message for each missing plugin that the snapshot's resources need. The messages are
 * returned together, so that a user can install all plugins in one step. Built-in packages need
 * no plugin.
 */
async function findMissingPlugins(
  snapshot: Snapshot,
  plugins: Pick<PluginHost, 'obtain'>,
): Promise<readonly string[]> {
  const usedProviders = new Set(
    snapshot.resources.flatMap(state => providerUrnOf(state.provider) ?? []),
  )
  const pluginsByIdentity = new Map<string, ProviderPlugin>()
  for (const state of snapshot.resources) {
    if (
      !isProviderType(state.type) ||
      !usedProviders.has(state.urn) ||
      state.type === 'pulumi:providers:pulumi'
    )
      continue
    const plugin = readProviderPlugin(state.urn, state.inputs)
    pluginsByIdentity.set(JSON.stringify([plugin.name, plugin.version, plugin.downloadUrl]), plugin)
  }
  const results = await Promise.all(
    [...pluginsByIdentity.values()].map(plugin => plugins.obtain(plugin)),
  )
  return results.flatMap(result => ('missing' in result ? [result.missing] : []))
}

/**
 * Reports whether every plugin that the base's resources need is installed or could be installed.
 * Each missing plugin is reported as an error.
 */
export async function obtainBasePlugins(
  run: Pick<CommandRun, 'plugins' | 'emitter'>,
  base: Base,
): Promise<boolean> {
  const messages = await findMissingPlugins(base.snapshot, run.plugins)
  for (const message of messages) run.emitter.report('error', message)
  return messages.length === 0
}
