import { isProviderType, providerUrnOf } from '../../names/provider-reference.ts'
import type { PluginHost } from '../../providers/provider.ts'
import { pluginOf } from '../../providers/provider-inputs.ts'
import type { Life } from './life.ts'
import type { Base } from '../deployment/base.ts'
import type { Snapshot } from '../../state/snapshot.ts'

/**
 * What is missing of the plugins that a snapshot's resources need, a sentence each: all at once, so
 * that nobody installs them one failure at a time. Built-in packages need none.
 */
function missingPlugins(snapshot: Snapshot, plugins: Pick<PluginHost, 'find'>): readonly string[] {
  const used = new Set(snapshot.resources.flatMap(state => providerUrnOf(state.provider) ?? []))
  const missing = new Set<string>()
  for (const state of snapshot.resources) {
    if (
      !isProviderType(state.type) ||
      !used.has(state.urn) ||
      state.type === 'pulumi:providers:pulumi'
    )
      continue
    const found = plugins.find(pluginOf(state.urn, state.inputs))
    if ('missing' in found) missing.add(found.missing)
  }
  return [...missing]
}

/** Whether every plugin that the base's resources need is there; tells of all that are not. */
export function hasPlugins(life: Pick<Life, 'plugins' | 'emitter'>, base: Base): boolean {
  const missing = missingPlugins(base.snapshot, life.plugins)
  for (const sentence of missing) life.emitter.diagnostic('error', sentence)
  return missing.length === 0
}
