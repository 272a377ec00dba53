// Lets the conformance suites run on node 20: they import globSync, which node:fs has
// from 22 on, for a command that is not used here.
import { register } from 'node:module';
const hooks = `
export async function resolve(specifier, context, next) {
  return specifier === 'fs' && context.parentURL?.includes('/conformance-')
    ? { url: 'shim:fs', format: 'module', shortCircuit: true } : next(specifier, context);
}
export async function load(url, context, next) {
  if (url !== 'shim:fs') return next(url, context);
  const names = Object.keys((await import('node:fs')).default).filter((name) => /^[A-Za-z]+$/.test(name) && name !== 'globSync');
  return { format: 'module', shortCircuit: true, source: "import fs from 'node:fs'; export default fs; export const {" + names.join(',')
    + "} = fs; export const globSync = fs.globSync ?? (() => { throw new Error('needs node 22'); });" };
}`;
register('data:text/javascript,' + encodeURIComponent(hooks));
