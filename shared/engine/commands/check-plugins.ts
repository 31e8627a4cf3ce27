import { isProviderType, providerUrnOf } from '../../names/provider-reference.ts'
import type { PluginHost } from '../../providers/provider.ts'
import { pluginOf, type ProviderPlugin } from '../../providers/provider-inputs.ts'
import type { CommandRun } from './command-run.ts'
import type { Base } from '../deployment/state/base.ts'
import type { Snapshot } from '../../state/snapshot.ts'

/**
 * Returns one message for each missing plugin that the snapshot's resources need. All are returned
 * at once, so that a user can install them in one go. Built-in packages need no plugin.
 */
async function findMissingPlugins(
  snapshot: Snapshot,
  plugins: Pick<PluginHost, 'obtain'>,
): Promise<readonly string[]> {
  const used = new Set(snapshot.resources.flatMap(state => providerUrnOf(state.provider) ?? []))
  const wanted = new Map<string, ProviderPlugin>()
  for (const state of snapshot.resources) {
    if (
      !isProviderType(state.type) ||
      !used.has(state.urn) ||
      state.type === 'pulumi:providers:pulumi'
    )
      continue
    const plugin = pluginOf(state.urn, state.inputs)
    wanted.set(JSON.stringify([plugin.name, plugin.version, plugin.downloadUrl]), plugin)
  }
  const found = await Promise.all([...wanted.values()].map(plugin => plugins.obtain(plugin)))
  return found.flatMap(one => ('missing' in one ? [one.missing] : []))
}

/**
 * Reports whether every plugin that the base's resources need is installed or could be installed.
 * Each missing one is reported as an error.
 */
export async function hasPlugins(
  run: Pick<CommandRun, 'plugins' | 'emitter'>,
  base: Base,
): Promise<boolean> {
  const missing = await findMissingPlugins(base.snapshot, run.plugins)
  for (const sentence of missing) run.emitter.report('error', sentence)
  return missing.length === 0
}
