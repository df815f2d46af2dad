# Written by `cargo xtask recipe`; put your own changes into {{ pn }}.inc beside it.
SUMMARY = "{{ summary }}"
{%- if homepage %}
HOMEPAGE = "{{ homepage }}"
{%- endif %}
{%- if section %}
SECTION = "{{ section }}"
{%- endif %}
LICENSE = "{{ license }}"
{%- if license_files %}
LIC_FILES_CHKSUM = " \
{%- for file in license_files %}
    file://{{ file }} \
{%- endfor %}
"
{%- endif %}
{% if git %}
SRC_URI = "{{ git.uri }}"
SRCREV = "{{ git.revision }}"
{%- else %}
# No git remote was found: build from the folder. For others, replace these two lines by SRC_URI and SRCREV.
inherit externalsrc
EXTERNALSRC = "{{ folder }}"
{%- endif %}
{%- for dependency in git_dependencies %}
SRC_URI += "{{ dependency.uri }};name={{ dependency.name }};destsuffix={{ dependency.name }};type=git-dependency"
SRCREV_FORMAT .= "_{{ dependency.name }}"
SRCREV_{{ dependency.name }} = "{{ dependency.revision }}"
{%- endfor %}

inherit cargo cargo-update-recipe-crates{% for class in inherit %} {{ class }}{% endfor %}

require {{ pn }}-crates.inc
{%- for file in requires %}
require {{ file }}
{%- endfor %}
{% if source_folder %}
CARGO_SRC_DIR = "{{ source_folder }}"
{%- endif %}
{%- if member %}
CARGO_BUILD_FLAGS:append = " --package={{ member }}"
{%- endif %}
{%- if depends %}
DEPENDS += "{{ depends | join(sep=" ") }}"
{%- endif %}
{%- if rdepends %}
RDEPENDS:${PN} += "{{ rdepends | join(sep=" ") }}"
{%- endif %}

include {{ pn }}-${PV}.inc
include {{ pn }}.inc
