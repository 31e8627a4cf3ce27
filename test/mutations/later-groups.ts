import { groupTestsOf, createMutation } from './create-mutation.ts'
import type { Mutation } from './mutation.ts'

const monitor = 'shared/engine/monitor'

/**
 * One decision for each group of the original's tests, from refresh to update_plan: its folder in
 * test/lifecycle notices.
 */
export const laterGroupMutations: readonly Mutation[] = [
  createMutation(
    {
      name: 'a refresh reads all but its targets',
      breaks: 'docs/spec/step-generation.md#targets: a refresh reads its targets',
      file: 'shared/engine/generator/refresh/refresh-scope.ts',
    },
    ['    if (isNamed(state.urn)) return true\n', '    if (!isNamed(state.urn)) return true\n'],
    groupTestsOf('refresh/targets', 'TestRefreshBasics'),
  ),
  createMutation(
    {
      name: 'what asks to be read before updates is not',
      breaks:
        'docs/spec/deployment.md#deployment-orchestration: what is flagged is read before it is updated',
      file: 'shared/engine/generator/refresh/plan-refresh.ts',
    },
    ["(which === 'all' || state.refreshBeforeUpdate)", "which === 'all'"],
    groupTestsOf('refresh_before_update/flagged', 'TestRefreshBeforeUpdate:'),
  ),
  createMutation(
    {
      name: 'a resource is not replaced with the one that it names',
      breaks:
        'docs/spec/step-generation.md#diff-decision: a resource is replaced with those that it names',
      file: 'shared/engine/generator/changes/difference.ts',
    },
    [
      '  if (next.replaceWith.some(urn => ctx.sets.replaces.has(urn)))\n',
      '  if (next.replaceWith.some(urn => ctx.sets.replaces.has(urn) && urn === next.urn))\n',
    ],
    groupTestsOf('replace_with/replace-with', 'TestReplaceWith:'),
  ),
  createMutation(
    {
      name: 'a trigger that is set for the first time replaces',
      breaks:
        'docs/spec/step-generation.md#diff-decision: setting a trigger, or taking it away, replaces nothing',
      file: 'shared/engine/generator/changes/difference.ts',
    },
    ['before === null || now === null', 'before === null && now === null'],
    groupTestsOf('replacement_trigger/replacement-trigger', 'adding or removing it'),
  ),
  createMutation(
    {
      name: 'a call is made though a hook before it failed',
      breaks: 'docs/spec/step-execution.md#step-kinds: a failed hook before a step fails the step',
      file: 'shared/engine/deployment/dispatch/run-hooked-call.ts',
    },
    [
      '  return error === undefined ? undefined : scrub(error)\n',
      '  void scrub\n  return undefined\n',
    ],
    groupTestsOf('resource_hooks/hooks', 'TestResourceHookBeforeCreateError:'),
  ),
  createMutation(
    {
      name: 'nobody is answered with references',
      breaks: 'docs/spec/monitor.md#resourcemonitor: who takes references gets them',
      file: `${monitor}/reply-options.ts`,
    },
    ['references: request.acceptResources', 'references: !request.acceptResources'],
    groupTestsOf('resource_reference/resource-reference', 'TestResourceReferences_DownlevelSDK'),
  ),
  createMutation(
    {
      name: 'what is retained is deleted in the cloud',
      breaks:
        'docs/spec/step-generation.md#deletes-at-the-end-of-the-program: what is retained leaves the state only',
      file: 'shared/engine/generator/changes/plan-replacement.ts',
    },
    ['state.external || state.retainOnDelete || ', 'state.external || '],
    groupTestsOf('retain_on_delete/retain-on-delete', 'TestRetainOnDelete'),
  ),
  createMutation(
    {
      name: 'a program that waits for the end is answered at once',
      breaks: 'docs/spec/programs.md#first-messages: it is answered when the deletes are done',
      file: 'shared/engine/monitor/monitor-handlers.ts',
    },
    ['    await signals.released\n', ''],
    groupTestsOf('signal_and_wait_for_shutdown/signal', 'TestSignalAndWaitForShutdown:'),
  ),
  createMutation(
    {
      name: 'plugins that nothing uses are asked for',
      breaks:
        'docs/spec/providers.md#default-providers: a default provider has the version that the program’s package has',
      file: 'shared/engine/generator/providers/default-packages.ts',
    },
    ['    reported.length > 0\n', '    reported.length < 0\n'],
    groupTestsOf('skip_plugin_pre_install/skip', 'TestSkipPluginPreInstall'),
  ),
  createMutation(
    {
      name: 'a stash is replaced when its input changes',
      breaks:
        'docs/spec/providers.md#built-in-provider: the output of a stash stays its first input',
      file: 'shared/providers/builtin/builtin-provider.ts',
    },
    ['isStash ? { changedKeys: [key] } : ', "isStash && key === '' ? { changedKeys: [key] } : "],
    groupTestsOf('stash/stash', 'TestStash:'),
  ),
  createMutation(
    {
      name: 'what is read under another id takes the place of what was managed',
      breaks:
        'docs/spec/step-generation.md#reads: what was managed is replaced by the read, and deleted',
      file: 'shared/engine/generator/calls/read-resource.ts',
    },
    ['    old.state.id !== request.id\n', '    old.state.id === request.id\n'],
    groupTestsOf('step_generator/steps', 'TestReadReplaceStep'),
  ),
  createMutation(
    {
      name: 'a taint means nothing',
      breaks: 'docs/spec/step-generation.md#diff-decision: what is tainted is replaced',
      file: 'shared/engine/generator/targets/scope.ts',
    },
    [' || old?.taint === true\n', '\n'],
    groupTestsOf('taint/taint', 'TestTaintReplacement'),
  ),
  createMutation(
    {
      name: 'a destroy takes along what depends on its targets',
      breaks:
        'docs/spec/step-generation.md#deletes-at-the-end-of-the-program: dependents of targets are deleted on request only',
      file: 'shared/engine/generator/deletion/delete-scope.ts',
    },
    [
      '  if (targetDependents) return true\n',
      '  if (targetDependents || targets.isConstrained) return true\n',
    ],
    groupTestsOf('target/destroy', 'TestTargetDestroyDependencyErrors'),
  ),
  createMutation(
    {
      name: 'the transforms of the stack run first',
      breaks:
        'docs/spec/monitor.md#callbacks-service: own transforms, then those of the parents, then those of the stack',
      file: `${monitor}/transforms.ts`,
    },
    [
      '[...own, ...listInherited(request.parent), ...ofStack]',
      '[...ofStack, ...own, ...listInherited(request.parent)]',
    ],
    groupTestsOf('transformation/transforms', 'TestRemoteTransforms:'),
  ),
  createMutation(
    {
      name: 'old copies of what is no target are deleted with a warning',
      breaks:
        'docs/spec/step-generation.md#deletes-at-the-end-of-the-program: nothing is deleted that is no target by itself',
      file: 'shared/engine/generator/deletion/delete-scope.ts',
    },
    ['  return others.length === 0\n', '  return others.length >= 0\n'],
    groupTestsOf('update/targets', 'TestUpdateWithTargetedParentChildMarkedAsDelete'),
  ),
  createMutation(
    {
      name: 'a plan does not hold a deployment to its options',
      breaks: 'docs/spec/step-generation.md#update-plans: options are as planned',
      file: 'shared/engine/plan/goal-violations.ts',
    },
    ["  compare('protect', planned.protect, proposed.protect)\n", ''],
    groupTestsOf('update_plan/goals', 'options that differ'),
  ),
]
