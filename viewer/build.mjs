// node build.mjs PAGE [C_FILE]: bundles src/ into one HTML page that loads nothing from elsewhere,
// and writes its bytes as a C array.
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [page, cFile] = process.argv.slice(2);
if (!page) {
  console.error('usage: node build.mjs PAGE [C_FILE]');
  process.exit(2);
}

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari15'],
    legalComments: 'inline',
    logLevel: 'warning',
  });
  return result.outputFiles[0].text.trim();
}

// the script may not contain what would end its element
const script = (await bundle('main.ts')).replaceAll('</script', '<\\/script');
const style = await bundle('style.css');
const html = readFileSync(join(here, 'src', 'page.html'), 'utf8')
  .replace('/*style*/', () => style)
  .replace('/*script*/', () => script);
mkdirSync(dirname(page), { recursive: true });
writeFileSync(page, html);

if (cFile) {
  const bytes = readFileSync(page);
  const lines = [];
  for (let i = 0; i < bytes.length; i += 32) lines.push(bytes.subarray(i, i + 32).join(','));
  mkdirSync(dirname(cFile), { recursive: true });
  writeFileSync(
    cFile,
    '// made by viewer/build.mjs\n#include <stddef.h>\n\n' +
      'extern const unsigned char limpet_replay_template[];\n' +
      'extern const size_t limpet_replay_template_size;\n' +
      `const unsigned char limpet_replay_template[${bytes.length}] = {\n${lines.join(',\n')}};\n` +
      `const size_t limpet_replay_template_size = ${bytes.length};\n`,
  );
}
