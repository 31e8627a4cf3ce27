/** The plugins for dynamic providers of programs. */
export const pluginFiles = [
  'shared/providers/plugins/pulumi-resource-pulumi-nodejs',
  'shared/providers/plugins/pulumi-resource-pulumi-python',
  'shared/providers/plugins/dynamic-provider.mjs',
]

/** The modules that Node loads before a program, and the runner of programs in Python. */
export const runnerFiles = [
  'shared/programs/hosts/run-program.py',
  'shared/programs/hosts/preload-program.cjs',
  'shared/programs/hosts/check-memory.cjs',
  'shared/programs/hosts/frame-memory.cjs',
  'shared/programs/hosts/sdk-texts.cjs',
]
