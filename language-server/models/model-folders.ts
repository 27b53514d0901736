// The folders in which other programs keep their models, by operating system.
import { posix, win32 } from 'node:path';

export interface ModelFolder {
  /** The name of the program. */
  owner: string;
  /** 'manifests': the names of the files are digests, and Ollama's manifests give the names of the models. */
  layout: 'files' | 'manifests';
  path: string;
}

export interface Environment {
  platform: NodeJS.Platform;
  /** The home folder; '' if there is none. */
  home: string;
  env: Record<string, string | undefined>;
}

/**
 * The folders to search. An empty environment variable counts as unset. Without a home folder, some paths would be
 * relative to the working directory: these are left out.
 */
export function modelFolders({ platform, home, env }: Environment): ModelFolder[] {
  const { join, isAbsolute } = platform === 'win32' ? win32 : posix;
  const cache = env.XDG_CACHE_HOME || join(home, '.cache');
  const llamaCache = {
    win32: join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'llama.cpp'),
    darwin: join(home, 'Library', 'Caches', 'llama.cpp'),
    linux: join(cache, 'llama.cpp'),
  }[platform === 'win32' || platform === 'darwin' ? platform : 'linux'];
  const files = (owner: string, path: string): ModelFolder => ({ owner, layout: 'files', path });
  const ollama = (path: string): ModelFolder => ({ owner: 'Ollama', layout: 'manifests', path });
  return [
    ollama(env.OLLAMA_MODELS || join(home, '.ollama', 'models')),
    // On Linux, the service that Ollama's installer sets up keeps its models here.
    ...(platform === 'linux' ? [ollama('/usr/share/ollama/.ollama/models')] : []),
    files('LM Studio', join(home, '.lmstudio', 'models')),
    files('LM Studio', join(home, '.cache', 'lm-studio', 'models')),
    files('llama.cpp', env.LLAMA_CACHE || llamaCache),
    files('Hugging Face', env.HF_HUB_CACHE || join(env.HF_HOME || join(cache, 'huggingface'), 'hub')),
  ].filter(({ path }) => isAbsolute(path));
}
