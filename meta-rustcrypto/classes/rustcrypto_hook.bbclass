# Puts our backend into a source tree: what hook.toml beside the glue in patches/ says, as a step after do_patch.
# The files differ too much between releases for one .patch, so each edit looks for its anchor and fails if it is not there.
# The .inc that inherits this sets RUSTCRYPTO_HOOK (hook.toml as JSON), RUSTCRYPTO_GLUE (its files) and FILESEXTRAPATHS.
DEPENDS:append:class-target = " rustcrypto"
SRC_URI:append:class-target = " ${@' '.join('file://%s;subdir=rustcrypto-glue' % name for name in d.getVar('RUSTCRYPTO_GLUE').split())}"
do_patch[postfuncs] += "rustcrypto_hook"

rustcrypto_hook[doc] = "Copies the backend into the source and hooks it into its build system"
python rustcrypto_hook() {
    import json, os, shutil
    if d.getVar('CLASSOVERRIDE') != 'class-target':
        return
    hook = json.loads(d.getVar('RUSTCRYPTO_HOOK', False))
    source, glue = d.getVar('S'), os.path.join(d.getVar('UNPACKDIR'), 'rustcrypto-glue')
    for copy in hook['copy']:
        for name in copy['files']:
            shutil.copy(os.path.join(glue, name), os.path.join(source, copy['to'], name))
    for edit in hook['edit']:
        for name in filter(lambda name: os.path.exists(os.path.join(source, name)), edit['files']):
            path = os.path.join(source, name)
            with open(path) as file:
                text = file.read()
            new = edit['insert'] if edit.get('instead') else edit['after'] + edit['insert']
            if new in text:
                continue
            if edit['after'] not in text:
                bb.fatal('%s: cannot hook librustcrypto in, this text is not there:\n%s' % (path, edit['after']))
            with open(path, 'w') as file:
                file.write(text.replace(edit['after'], new, 1))
}
